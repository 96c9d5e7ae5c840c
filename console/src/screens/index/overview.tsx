import { useState } from 'react';
import { requestOf } from '../../api/client.ts';
import type { Pipeline } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CodeSamples } from '../../ui/code-sample.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Contents } from './contents.tsx';
import { Failures } from './failures.tsx';
import { totalOf } from './file-states.tsx';
import styles from './index.module.css';
import { IndexPage } from './index-page.tsx';
import { Problems } from './problems.tsx';
import { RunCard } from './run-card.tsx';
import { SyncButtons } from './sync-buttons.tsx';
import { useIndexStatus } from './use-status.ts';

const callsOf = (id: string) => {
  const params = { pipeline_id: id };
  return [
    {
      what: 'See how far it is',
      ...requestOf('GET /api/v1/pipelines/{pipeline_id}/status', { params, query: { full_details: true } }),
    },
    { what: 'Sync', ...requestOf('POST /api/v1/pipelines/{pipeline_id}/sync', { params }) },
    { what: 'Cancel the sync', ...requestOf('POST /api/v1/pipelines/{pipeline_id}/sync/cancel', { params }) },
  ];
};

/** What an index holds, what it is doing, and how it is asked. */
export default function Overview() {
  const [failure, setFailure] = useState<unknown>();
  return (
    <IndexPage part="" calls={callsOf} actions={({ id }) => <SyncButtons id={id} onFailure={setFailure} />}>
      {(index) => (
        <>
          {failure !== undefined && <Failure error={failure} what="That was not possible" />}
          <Parts index={index} />
        </>
      )}
    </IndexPage>
  );
}

function Parts({ index }: { index: Pipeline }) {
  const read = useIndexStatus(index.id);
  return (
    <Loaded read={read} what="The state of the index could not be read">
      {(status) => {
        const isEmpty = status.status === 'NOT_STARTED' && totalOf(status.counts ?? {}) === 0;
        return (
          <>
            <Problems status={status} />
            {isEmpty ? <NothingYet id={index.id} /> : <RunCard id={index.id} status={status} />}
            {!isEmpty && <Failures id={index.id} failed={status.counts?.ERROR ?? 0} />}
            <div className={styles.columns}>
              <Contents index={index} counts={status.counts ?? {}} />
              <HowToCall id={index.id} />
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function NothingYet({ id }: { id: string }) {
  const at = useAt();
  return (
    <Empty
      icon="upload"
      title="Put something in"
      action={
        <div className={styles.row}>
          <ButtonLink look="primary" icon="upload" to={at(`/indexes/${id}/files`)}>
            Add files
          </ButtonLink>
          <ButtonLink icon="connection" to={at(`/indexes/${id}/sources`)}>
            Add a source
          </ButtonLink>
        </div>
      }
    >
      What is added is indexed by itself. When it is, the index answers questions about it.
    </Empty>
  );
}

const QUESTION = 'What does it say about …?';

function HowToCall({ id }: { id: string }) {
  const params = { pipeline_id: id };
  const calls = [
    {
      what: 'Find the passages',
      ...requestOf('POST /api/v1/pipelines/{pipeline_id}/retrieve', { params, body: { query: QUESTION } }),
    },
    {
      what: 'Chat, as a stream',
      ...{ method: 'POST', path: '/api/v1/pipelines/{pipeline_id}/chat', params },
      body: { messages: [{ role: 'user', content: QUESTION }] },
    },
  ];
  return (
    <Card title="Ask it from your code">
      <CodeSamples calls={calls} />
    </Card>
  );
}
