import { useState } from 'react';
import { buildRequest } from '../../api/client.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CodeSamples } from '../../ui/code-sample.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Contents } from './contents.tsx';
import { Failures } from './failures.tsx';
import { sumCounts } from './file-states.tsx';
import styles from './index.module.css';
import { IndexPage } from './index-page.tsx';
import { Problems } from './problems.tsx';
import { RunCard } from './run-card.tsx';
import { SyncButtons } from './sync-buttons.tsx';
import { useIndexStatus } from './use-status.ts';

const buildCalls = (id: string) => {
  const params = { pipeline_id: id };
  return [
    {
      what: t('Get the status'),
      ...buildRequest('GET /api/v1/pipelines/{pipeline_id}/status', {
        params,
        query: { full_details: true },
      }),
    },
    { what: t('Sync'), ...buildRequest('POST /api/v1/pipelines/{pipeline_id}/sync', { params }) },
    {
      what: t('Cancel the sync'),
      ...buildRequest('POST /api/v1/pipelines/{pipeline_id}/sync/cancel', { params }),
    },
  ];
};

/** Overview of an index: contents, current sync, failures and code samples. */
export default function Overview() {
  const [failure, setFailure] = useState<unknown>();
  return (
    <IndexPage
      part=""
      calls={buildCalls}
      actions={({ id }) => <SyncButtons id={id} onFailure={setFailure} />}
    >
      {(index) => (
        <>
          {failure !== undefined && <Failure error={failure} what={t('The action failed')} />}
          <Parts index={index} />
        </>
      )}
    </IndexPage>
  );
}

function Parts({ index }: { index: Pipeline }) {
  const read = useIndexStatus(index.id);
  return (
    <Loaded read={read} what={t('The state of the index could not be read')}>
      {(status) => {
        const isEmpty = status.status === 'NOT_STARTED' && sumCounts(status.counts ?? {}) === 0;
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
  const pathTo = useProjectPath();
  return (
    <Empty
      icon="upload"
      title={t('Add files or a source')}
      action={
        <div className={styles.row}>
          <ButtonLink look="primary" icon="upload" to={pathTo(`/indexes/${id}/files`)}>
            {t('Add files')}
          </ButtonLink>
          <ButtonLink icon="connection" to={pathTo(`/indexes/${id}/sources`)}>
            {t('Add a source')}
          </ButtonLink>
        </div>
      }
    >
      {t('Added content is indexed automatically. You can then search it and ask questions about it.')}
    </Empty>
  );
}

const getQuestion = () => t('What does it say about …?');

function HowToCall({ id }: { id: string }) {
  const params = { pipeline_id: id };
  const calls = [
    {
      what: t('Retrieve passages'),
      ...buildRequest('POST /api/v1/pipelines/{pipeline_id}/retrieve', {
        params,
        body: { query: getQuestion() },
      }),
    },
    {
      what: t('Chat with a streamed answer'),
      ...{ method: 'POST', path: '/api/v1/pipelines/{pipeline_id}/chat', params },
      body: { messages: [{ role: 'user', content: getQuestion() }] },
    },
  ];
  return (
    <Card title={t('Use the API')}>
      <CodeSamples calls={calls} />
    </Card>
  );
}
