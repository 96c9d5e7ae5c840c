import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Card } from '../../ui/page.tsx';
import { PagePicture } from '../../ui/page-picture.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { download } from '../jobs/download.ts';
import { JobHead } from '../jobs/job-head.tsx';
import styles from '../jobs/jobs.module.css';
import { PasswordRetry, parseWithPassword } from '../jobs/password-retry.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { useJobInput } from '../jobs/use-input.ts';
import { Pager } from './pager.tsx';
import view from './parse.module.css';

type Job = Answer<'GET /api/v2/parse/{job_id}'>;

const FORMS = [
  { key: 'markdown', label: 'Markdown' },
  { key: 'text', label: 'Text' },
] as const;
type Form = (typeof FORMS)[number]['key'];

/** Parse job with its result. Page and format are part of the page's address. */
export function Parsed({ id }: { id: string }) {
  const read = useApiQuery(
    'GET /api/v2/parse/{job_id}',
    { params: { job_id: id }, query: { expand: ['markdown', 'text'] } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false) },
  );
  return (
    <Loaded read={read} what="The job could not be read">
      {(job) => <JobDetails job={job} />}
    </Loaded>
  );
}

function JobDetails({ job }: { job: Job }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const { name, fileId } = useJobInput(job.file_id ?? job.url ?? '');
  const params = { job_id: job.id };
  const list = { queryKey: ['GET /api/v2/parse'] };
  const cancel = async () => {
    await call('POST /api/v2/parse/{job_id}/cancel', { params });
    await client.invalidateQueries(list);
    await client.invalidateQueries({ queryKey: ['GET /api/v2/parse/{job_id}'] });
  };
  const remove = async () => {
    await call('DELETE /api/v2/parse/{job_id}', { params });
    await client.invalidateQueries(list);
    navigate(pathTo('/parse'));
  };
  const markdown = job.markdown?.pages.map((page) => page.markdown).join('\n\n');
  const text = job.text?.pages.map((page) => page.text).join('\n\n');
  return (
    <>
      <JobHead
        list="GET /api/v2/parse"
        name={name}
        status={job.status}
        createdAt={job.created_at}
        onCancel={cancel}
        onDelete={remove}
      >
        {markdown !== undefined && (
          <Button icon="download" onClick={() => download(`${name}.md`, 'text/markdown', markdown)}>
            Markdown
          </Button>
        )}
        {text !== undefined && (
          <Button icon="download" onClick={() => download(`${name}.txt`, 'text/plain', text)}>
            Text
          </Button>
        )}
      </JobHead>
      {job.error_message && <Failure error={new Error(job.error_message)} what="The parse failed" />}
      <PasswordRetry
        message={job.error_message}
        fileId={fileId}
        path="/parse"
        begin={async (file, password) => {
          const made = await parseWithPassword(file, password, job.configuration);
          await client.invalidateQueries(list);
          return made;
        }}
      />
      {isUnderWay(job.status) && (
        <Empty icon="running" title="The document is being processed">
          The pages appear here automatically.
        </Empty>
      )}
      {job.markdown && <Pages job={job} name={name} fileId={fileId} />}
    </>
  );
}

/** Shows the image of a page next to its text. */
function Pages({ job, name, fileId }: { job: Job; name: string; fileId: string | undefined }) {
  const [search, setSearch] = useSearchParams();
  const pages = job.markdown?.pages ?? [];
  const asked = Number(search.get('page'));
  const at = Math.max(
    0,
    pages.findIndex(({ page_number }) => page_number === asked),
  );
  const number = pages[at]?.page_number;
  const form: Form = search.get('form') === 'text' ? 'text' : 'markdown';
  const set = (key: string, value: string) =>
    setSearch(
      (known) => {
        const next = new URLSearchParams(known);
        next.set(key, value);
        return next;
      },
      { replace: true },
    );
  if (number === undefined) {
    return (
      <Empty icon="file" title="No pages">
        The document has no pages, or none of the requested pages.
      </Empty>
    );
  }
  const shown =
    form === 'markdown'
      ? pages[at]?.markdown
      : job.text?.pages.find(({ page_number }) => page_number === number)?.text;
  return (
    <>
      <Pager
        numbers={pages.map(({ page_number }) => page_number)}
        at={at}
        onGo={(page) => set('page', String(page))}
      />
      <div className={styles.split}>
        {fileId && <PagePicture fileId={fileId} pageIndex={number - 1} alt={`Page ${number} of ${name}`} />}
        <Card>
          <Tabs label="Format" tabs={FORMS} chosen={form} onChoose={(key) => set('form', key)}>
            <div className={view.page}>
              <span className={view.copy}>
                <CopyButton text={shown ?? ''} label={`Copy page ${number}`} />
              </span>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
              <pre className={view.text} tabIndex={0} dir="auto">
                {shown || 'This page has no text.'}
              </pre>
            </div>
          </Tabs>
        </Card>
      </div>
    </>
  );
}
