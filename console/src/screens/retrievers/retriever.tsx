import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { useAnswer } from '../../api/hooks.ts';
import { useAt } from '../../shell/link.ts';
import { loadable } from '../../shell/loadable.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { callsOf } from '../chat/calls.ts';
import { type Corpus, requestTo } from '../chat/corpus.ts';
import { type Retriever, RetrieverForm, removeRetriever } from './retriever-form.tsx';
import { RetrieverPlayground } from './retriever-playground.tsx';

const Chat = loadable(() => import('../chat/chat.tsx'));

const TABS = [
  { key: 'playground', label: 'Playground' },
  { key: 'chat', label: 'Chat' },
] as const;

/** One retriever: try it, talk with it, change it. */
export default function RetrieverPage() {
  const { id = '' } = useParams();
  const at = useAt();
  const read = useAnswer('GET /api/v1/retrievers/{retriever_id}', { params: { retriever_id: id } });
  if (read.error?.status === 404) {
    return (
      <Page title="No such retriever">
        <Empty
          icon="retriever"
          title="It may have been deleted"
          action={<ButtonLink to={at('/retrievers')}>To the retrievers</ButtonLink>}
        />
      </Page>
    );
  }
  if (read.data?.id === id) return <Found key={id} retriever={read.data} />;
  return (
    <Page title="Retriever" trail={[{ to: at('/retrievers'), label: 'Retrievers' }]}>
      {read.error ? (
        <Failure
          error={read.error}
          what="The retriever could not be read"
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
  const at = useAt();
  const [, go] = useLocation();
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const tab = search.get('tab') === 'chat' ? 'chat' : 'playground';
  const corpus: Corpus = { kind: 'retriever', id };
  const query = { body: { query: search.get('q') ?? 'What is this about?' } };
  const remove = async () => {
    await removeRetriever(id);
    go(at('/retrievers'));
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
      full={tab === 'chat'}
      trail={[{ to: at('/retrievers'), label: 'Retrievers' }]}
      lead={`Asks ${plural(pipelines.length, 'index', 'indexes')} as one.`}
      calls={[{ what: 'Search', ...requestTo(corpus, 'POST', '/retrieve', query) }, ...callsOf(corpus)]}
      actions={
        <>
          <Button icon="edit" onClick={() => setAsked('edit')}>
            Edit
          </Button>
          <Button icon="trash" look="danger" onClick={() => setAsked('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <Tabs label="Parts of the retriever" tabs={TABS} chosen={tab} onChoose={show}>
        {pipelines.length === 0 ? (
          <Empty
            icon="index"
            title="It asks no index yet"
            action={<Button onClick={() => setAsked('edit')}>Choose indexes</Button>}
          />
        ) : tab === 'chat' ? (
          <Chat corpus={corpus} name={name} />
        ) : (
          <RetrieverPlayground id={id} />
        )}
      </Tabs>
      {asked === 'edit' && <RetrieverForm retriever={retriever} onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && (
        <Confirm
          title="Delete this retriever?"
          action="Delete"
          onConfirm={remove}
          onClose={() => setAsked(undefined)}
        >
          “{name}” and your conversations with it will be gone. Its indexes stay.
        </Confirm>
      )}
    </Page>
  );
}
