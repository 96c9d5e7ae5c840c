import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { percent } from '../../ui/format.ts';
import { Card } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { download, toCsv } from '../jobs/download.ts';
import { JobHead } from '../jobs/job-head.tsx';
import { PasswordRetry, parseWithPassword, waitForParse } from '../jobs/password-retry.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { useJobInput } from '../jobs/use-input.ts';
import view from './classify.module.css';

type Job = Answer<'GET /api/v2/classify/{job_id}'>;

/** Shows a classification job with its result and the model's reasoning. */
export function Classification({ id }: { id: string }) {
  const read = useApiQuery(
    'GET /api/v2/classify/{job_id}',
    { params: { job_id: id } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false) },
  );
  return (
    <Loaded read={read} what={t('The job could not be read')}>
      {(job) => <JobDetails job={job} />}
    </Loaded>
  );
}

function JobDetails({ job }: { job: Job }) {
  const client = useQueryClient();
  const pathTo = useProjectPath();
  const { name, fileId } = useJobInput(job.file_input);
  const cancel = async () => {
    await call('POST /api/v2/classify/{job_id}/cancel', { params: { job_id: job.id } });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/classify'] });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/classify/{job_id}'] });
  };
  const { result } = job;
  const row = { file: name, ...result };
  return (
    <>
      <JobHead
        list="GET /api/v2/classify"
        name={name}
        status={job.status}
        createdAt={job.created_at}
        onCancel={cancel}
      >
        {result && (
          <>
            <Button
              icon="download"
              onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(row, null, 2))}
            >
              JSON
            </Button>
            <Button
              icon="download"
              onClick={() =>
                download(`${name}.csv`, 'text/csv', toCsv(['file', 'type', 'confidence', 'reasoning'], [row]))
              }
            >
              {t('CSV')}
            </Button>
          </>
        )}
        <ButtonLink to={pathTo('/classify', { from: job.id, file: fileId })} icon="retry">
          {t('Reuse settings')}
        </ButtonLink>
      </JobHead>
      {job.error_message && (
        <Failure error={new Error(job.error_message)} what={t('The classification failed')} />
      )}
      <PasswordRetry
        message={job.error_message}
        fileId={fileId}
        path="/classify"
        begin={async (file, password) => {
          // A parse job reads the file with the password first. The new classification job then uses the
          // result of the parse job.
          const file_input = await parseWithPassword(file, password);
          await waitForParse(file_input);
          const made = await call('POST /api/v2/classify', {
            body: { file_input, configuration: job.configuration },
          });
          await client.invalidateQueries({ queryKey: ['GET /api/v2/classify'] });
          return made.id;
        }}
      />
      {isUnderWay(job.status) && (
        <Empty icon="running" title={t('The document is being processed')}>
          {t('The result appears here automatically.')}
        </Empty>
      )}
      {result && (
        <Card title={t('Result')}>
          <p className={view.type}>{result.type ?? t('No matching type')}</p>
          <p>{result.reasoning}</p>
          <p className={view.sure}>
            {t('Confidence {confidence}, not calibrated', { confidence: percent(result.confidence) })}
          </p>
        </Card>
      )}
      <Card title={t('Types')}>
        <Table
          label={t('Types and their descriptions')}
          columns={[
            { key: 'type', header: t('Type'), cell: ({ type }) => type },
            {
              key: 'description',
              header: t('Description'),
              cell: ({ description }) => description,
            },
          ]}
          rows={job.configuration.rules}
          getRowKey={({ type }) => type}
        />
      </Card>
    </>
  );
}
