import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { deleteItem } from '../../api/deletions.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { loadable } from '../../shell/loadable.tsx';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { buildChatCalls } from '../chat/calls.ts';
import { type Corpus, requestTo } from '../chat/corpus.ts';
import { parseSettings } from '../playground/settings.ts';
import { type Retriever, RetrieverForm, removeRetriever } from './retriever-form.tsx';
import { RetrieverPlayground } from './retriever-playground.tsx';
import { buildQuery } from './use-retriever-search.ts';

const Chat = loadable(() => import('../chat/chat.tsx'));

const getTabs = () =>
  [
    { key: 'playground', label: t('Playground') },
    { key: 'chat', label: t('Chat') },
  ] as const;

export default function RetrieverPage() {
  const { id = '' } = useParams();
  const pathTo = useProjectPath();
  const read = useApiQuery('GET /api/v1/retrievers/{retriever_id}', { params: { retriever_id: id } });
  if (read.error?.status === 404) {
    return (
      <Page title={t('Retriever not found')}>
        <Empty
          icon="retriever"
          title={t('The retriever may have been deleted')}
          action={<ButtonLink to={pathTo('/retrievers')}>{t('Go to retrievers')}</ButtonLink>}
        />
      </Page>
    );
  }
  if (read.data?.id === id) return <Found key={id} retriever={read.data} />;
  return (
    <Page title={t('Retriever')} breadcrumbs={[{ to: pathTo('/retrievers'), label: t('Retrievers') }]}>
      {read.error ? (
        <Failure
          error={read.error}
          what={t('The retriever could not be read')}
          onRetry={() => void read.refetch()}
        />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}

function Found({ retriever }: { retriever: Retriever }) {
  const { id, name, pipelines } = retriever;
  const pathTo = useProjectPath();
  const [, go] = useLocation();
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const tab = search.get('tab') === 'chat' ? 'chat' : 'playground';
  const corpus: Corpus = { kind: 'retriever', id };
  const query = {
    body: buildQuery(
      search.get('q') || t('What is this about?'),
      parseSettings(search, ''),
      search.get('routing') === 'true',
    ),
  };
  const remove = async () => {
    const leave = () => go(pathTo('/retrievers'));
    await deleteItem(client, { id, remove: () => removeRetriever(id), leave });
    await client.invalidateQueries({ queryKey: ['GET /api/v1/retrievers'] });
  };
  const show = (chosen: string) =>
    setSearch((before) => {
      const project = before.get('project_id');
      return { tab: chosen, ...(project && { project_id: project }) };
    });
  return (
    <Page
      title={name}
      full
      breadcrumbs={[{ to: pathTo('/retrievers'), label: t('Retrievers') }]}
      lead={t('Searches {count, plural, one {# index} other {# indexes}} together.', {
        count: pipelines.length,
      })}
      calls={[
        { what: t('Search'), ...requestTo(corpus, 'POST', '/retrieve', query) },
        ...buildChatCalls(corpus),
      ]}
      actions={
        <>
          <Button writes icon="edit" onClick={() => setAsked('edit')}>
            {t('Edit')}
          </Button>
          <Button icon="trash" look="danger" onClick={() => setAsked('delete')}>
            {t('Delete')}
          </Button>
        </>
      }
    >
      <Tabs label={t('Parts of the retriever')} tabs={getTabs()} chosen={tab} onChoose={show}>
        {pipelines.length === 0 ? (
          <Empty
            icon="index"
            title={t('No indexes selected')}
            action={
              <Button writes onClick={() => setAsked('edit')}>
                {t('Select indexes')}
              </Button>
            }
          >
            {t('The retriever searches nothing until you select at least one index.')}
          </Empty>
        ) : tab === 'chat' ? (
          <Chat corpus={corpus} name={name} />
        ) : (
          <RetrieverPlayground retriever={retriever} />
        )}
      </Tabs>
      {asked === 'edit' && <RetrieverForm retriever={retriever} onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && (
        <Confirm
          title={t('Delete this retriever?')}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setAsked(undefined)}
        >
          {t('“{name}” and your conversations with it will be deleted. Its indexes are kept.', { name })}
        </Confirm>
      )}
    </Page>
  );
}
