import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import type { Call } from '../../ui/code-sample.tsx';
import { ago } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './jobs.module.css';
import { useJobInput } from './use-input.ts';

export interface ListedJob {
  id: string;
  status: string;
  created_at: string | null | undefined;
  /** Document that the job reads: the id of a file, the id of a parse job, or a URL. */
  input: string;
}

interface JobsPageProps {
  title: string;
  lead: string;
  /** Console path of the list of jobs, such as "/extract". */
  path: string;
  /** Label of the button for a new job, such as "New extraction". */
  newLabel: string;
  calls: Call[];
  jobs: {
    data: { items: ListedJob[]; next_page_token?: string | null | undefined } | undefined;
    error: unknown;
    isPending: boolean;
    refetch: () => unknown;
  };
  /** Token of the page of jobs that is shown. `undefined` for the newest jobs. */
  pageToken: string | undefined;
  /** Id of the job that is open on the right side of the page. */
  shown?: string | undefined;
  children: ReactNode;
}

/**
 * Lists the jobs of one kind on the left, newest first. The selected job or the form for a new one is on the
 * right.
 */
export function JobsPage({
  title,
  lead,
  path,
  newLabel,
  calls,
  jobs,
  pageToken,
  shown,
  children,
}: JobsPageProps) {
  const pathTo = useProjectPath();
  const items = jobs.data?.items ?? [];
  const next = jobs.data?.next_page_token;
  const here = shown ? `${path}/${shown}` : path;
  return (
    <Page title={title} lead={lead} calls={calls} full>
      <div className={styles.frame}>
        <nav className={styles.list} aria-label={t('Jobs')}>
          <ButtonLink to={pathTo(path)} icon="plus" {...(!shown && { look: 'primary' as const })}>
            {newLabel}
          </ButtonLink>
          <Loaded read={jobs} what={t('The jobs could not be read')}>
            {() => (
              <ul className={styles.jobs}>
                {items.map((job) => (
                  <li key={job.id}>
                    <JobLink
                      job={job}
                      to={pathTo(`${path}/${job.id}`, { page_token: pageToken })}
                      isShown={job.id === shown}
                    />
                  </li>
                ))}
                {items.length === 0 && <li className={styles.none}>{t('No jobs yet.')}</li>}
              </ul>
            )}
          </Loaded>
          <div className={styles.pager}>
            {pageToken && <Link to={pathTo(here)}>{t('Newest')}</Link>}
            {next && <Link to={pathTo(here, { page_token: next })}>{t('Older')}</Link>}
          </div>
        </nav>
        <div className={styles.shown}>{children}</div>
      </div>
    </Page>
  );
}

function JobLink({ job, to, isShown }: { job: ListedJob; to: string; isShown: boolean }) {
  const { name } = useJobInput(job.input);
  return (
    <Link to={to} className={styles.job} aria-current={isShown ? 'true' : undefined}>
      <span className={styles.name}>{name}</span>
      <span className={styles.row}>
        <StatusBadge status={job.status} />
        <span>{ago(job.created_at)}</span>
      </span>
    </Link>
  );
}
