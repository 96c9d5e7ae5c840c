import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useCan } from '../../../shell/can.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import layout from '../../../ui/layout.module.css';
import { Menu } from '../../../ui/menu.tsx';
import { notify } from '../../../ui/notify.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { EditTruth } from './edit-truth.tsx';
import { getTypeLabel } from './labels.ts';
import { CHANGED_BY_TRUTHS, TRUTHS, type Truth, type TruthSet } from './operations.ts';

const MAX_SHOWN_CHARACTERS = 200;
const getOrigins = (): Record<Truth['origin'], string> => ({
  manual: t('Written by hand'),
  imported: t('Imported'),
  collected: t('Approved result'),
});

/** Table of the truths of a set, page by page. */
export function TruthTable({ set }: { set: TruthSet }) {
  const [tokens, setTokens] = useState<string[]>([]);
  const [isAffected, setAffected] = useState(false);
  const [edited, setEdited] = useState<Truth>();
  const read = useApiQuery(TRUTHS, {
    params: { truth_set_id: set.id },
    query: { page_size: 50, page_token: tokens.at(-1), ...(isAffected && { is_affected: true }) },
  });
  return (
    <>
      <Checkbox
        label={t('Only files that have changed since')}
        checked={isAffected}
        onChange={({ target }) => {
          setTokens([]);
          setAffected(target.checked);
        }}
      />
      <Loaded read={read} what={t('The truths could not be read')}>
        {({ items, next_page_token: next }) => (
          <>
            {items.length === 0 ? (
              <Empty icon="file" title={isAffected ? t('No file has changed') : t('No files yet')} />
            ) : (
              <Truths set={set} rows={items} onEdit={setEdited} />
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
      {edited && <EditTruth set={set} truth={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

interface TruthsProps {
  set: TruthSet;
  rows: Truth[];
  onEdit: (truth: Truth) => void;
}

function Truths({ set, rows, onEdit }: TruthsProps) {
  const can = useCan();
  const remove = useApiMutation(
    'DELETE /api/v1/evaluations/truth-sets/{truth_set_id}/truths/{truth_id}',
    CHANGED_BY_TRUTHS,
  );
  const deleteOne = ({ id, truth_set_id }: Truth) =>
    remove.mutate(
      { params: { truth_set_id, truth_id: id } },
      { onError: ({ message }) => notify(message, { tone: 'bad' }) },
    );
  const columns: Column<Truth>[] = [
    {
      key: 'file',
      header: t('File'),
      cell: ({ file_name, is_affected }) => (
        <>
          {file_name} {is_affected && <Badge tone="warn">{t('Changed since')}</Badge>}
        </>
      ),
    },
    {
      key: 'expected',
      header: t('Expected'),
      cell: (truth) => (set.kind === 'extraction' ? describeValues(truth.values) : getTypeLabel(truth.type)),
    },
    { key: 'origin', header: t('Origin'), cell: ({ origin }) => getOrigins()[origin] },
    ...(can.write
      ? [
          {
            key: 'more',
            header: <span className="visually-hidden">{t('Actions')}</span>,
            cell: (truth: Truth) => (
              <Menu
                label={t('Actions for {name}', { name: truth.file_name })}
                items={[
                  { label: t('Edit'), icon: 'edit' as const, onChoose: () => onEdit(truth) },
                  {
                    label: t('Delete'),
                    icon: 'trash' as const,
                    danger: true,
                    onChoose: () => deleteOne(truth),
                  },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
  return <Table label={t('Truths')} columns={columns} rows={rows} getRowKey={({ id }) => id} />;
}

/** Returns the beginning of the expected values as JSON. */
function describeValues(values: unknown): string {
  const text = JSON.stringify(values);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
