import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useCan } from '../../shell/can.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import layout from '../../ui/layout.module.css';
import { Menu } from '../../ui/menu.tsx';
import { notify } from '../../ui/notify.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { EditQuestion } from './edit-question.tsx';
import { QUESTIONS, type Question, type QuestionSet, SET } from './operations.ts';

const PAGE_SIZE = 100;
const getOrigins = (): Record<Question['origin'], string> => ({
  manual: t('Written by hand'),
  imported: t('Imported'),
  collected: t('Asked by users'),
  generated: t('Generated'),
});

/** Table of the questions of a set, page by page. */
export function QuestionTable({ set }: { set: QuestionSet }) {
  const [tokens, setTokens] = useState<string[]>([]);
  const [isAffected, setAffected] = useState(false);
  const [edited, setEdited] = useState<Question>();
  const read = useApiQuery(QUESTIONS, {
    params: { question_set_id: set.id },
    query: {
      page_size: PAGE_SIZE,
      page_token: tokens.at(-1),
      ...(isAffected && { is_affected: true }),
    },
  });
  return (
    <>
      <Checkbox
        label={t('Only questions whose documents have changed')}
        checked={isAffected}
        onChange={({ target }) => {
          setTokens([]);
          setAffected(target.checked);
        }}
      />
      <Loaded read={read} what={t('The questions could not be read')}>
        {({ items, next_page_token: next }) => (
          <>
            {items.length === 0 ? (
              <Empty
                icon="search"
                title={isAffected ? t('No question is affected') : t('No questions yet')}
              />
            ) : (
              <Questions rows={items} onEdit={setEdited} />
            )}
            <div className={layout.row}>
              {tokens.length > 0 && (
                <Button icon="left" onClick={() => setTokens(tokens.slice(0, -1))}>
                  {t('Previous')}
                </Button>
              )}
              {next && (
                <Button icon="right" onClick={() => setTokens([...tokens, next])}>
                  {t('Next')}
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
      {edited && <EditQuestion setId={set.id} question={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function Questions({ rows, onEdit }: { rows: Question[]; onEdit: (question: Question) => void }) {
  const can = useCan();
  const remove = useApiMutation(
    'DELETE /api/v1/evaluations/question-sets/{question_set_id}/questions/{question_id}',
    [QUESTIONS, SET],
  );
  const deleteOne = ({ id, question_set_id }: Question) =>
    remove.mutate(
      { params: { question_set_id, question_id: id } },
      { onError: ({ message }) => notify(message, { tone: 'bad' }) },
    );
  const columns: Column<Question>[] = [
    {
      key: 'text',
      header: t('Question'),
      cell: (question) => (
        <>
          {question.text} {question.is_affected && <AffectedBadge question={question} />}
        </>
      ),
    },
    { key: 'expected', header: t('Expected'), cell: describeExpectations },
    { key: 'tags', header: t('Tags'), cell: ({ tags }) => tags.join(', ') },
    { key: 'origin', header: t('Origin'), cell: ({ origin }) => getOrigins()[origin] },
    ...(can.write
      ? [
          {
            key: 'more',
            header: <span className="visually-hidden">{t('Actions')}</span>,
            cell: (question: Question) => (
              <Menu
                label={t('Actions for {name}', { name: question.text })}
                items={[
                  { label: t('Edit'), icon: 'edit' as const, onChoose: () => onEdit(question) },
                  {
                    label: t('Delete'),
                    icon: 'trash' as const,
                    danger: true,
                    onChoose: () => deleteOne(question),
                  },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
  return <Table label={t('Questions')} columns={columns} rows={rows} getRowKey={({ id }) => id} />;
}

function AffectedBadge({ question }: { question: Question }) {
  const names = question.affected_documents.map(({ name }) => name).join(', ');
  return <Badge tone="warn">{t('Changed since: {names}', { names })}</Badge>;
}

/** Describes what a question expects in a few words. */
function describeExpectations(question: Question): string {
  const { expected_passages: passages, expected_pages: pages, expected_documents: documents } = question;
  if (question.expects_refusal) return t('No answer');
  return [
    passages.length > 0 &&
      t('{count, plural, one {# passage} other {# passages}}', { count: passages.length }),
    pages.length > 0 && t('{count, plural, one {# page} other {# pages}}', { count: pages.length }),
    documents.length > 0 &&
      t('{count, plural, one {# document} other {# documents}}', { count: documents.length }),
    question.expected_answer && t('Answer'),
  ]
    .filter(Boolean)
    .join(', ');
}
