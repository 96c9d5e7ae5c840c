import { type ReactNode, useEffect, useState } from 'react';
import { useParams } from 'wouter';
import { useApiQuery } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import type { Call } from '../../ui/code-sample.tsx';
import { notify } from '../../ui/notify.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { TabLinks } from '../../ui/tabs.tsx';
import { toIndexState, useIndexStatus } from './use-status.ts';

/** Labels of an index's tabs, by the last part of the tab's path. */
const getParts = () =>
  ({
    '': t('Overview'),
    '/files': t('Files'),
    '/sources': t('Sources'),
    '/playground': t('Playground'),
    '/chat': t('Chat'),
    '/runs': t('Runs'),
    '/settings': t('Settings'),
  }) as const;

interface IndexPageProps {
  /** Last part of the selected tab's path, such as `/files`. Empty for the overview. */
  part: keyof ReturnType<typeof getParts>;
  /** Buttons or other content beside the heading of the page. */
  actions?: ReactNode | ((index: Pipeline) => ReactNode);
  /** API requests that the page shows as code samples, or a function that builds them from the index id. */
  calls?: Call[] | ((id: string) => Call[]);
  /** True if the page uses the full width of the window. */
  full?: boolean;
  /** Returns the page's content once the index has loaded. Not called while the index is being deleted. */
  children: (index: Pipeline) => ReactNode;
}

/**
 * Layout of all pages below /indexes/:id, with heading, state and tabs. Shows a message if the index is being
 * deleted or does not exist.
 */
export function IndexPage(props: IndexPageProps) {
  const { id = '' } = useParams();
  return <Frame key={id} id={id} {...props} />;
}

function Frame({ id, part, actions, calls, full, children }: IndexPageProps & { id: string }) {
  const pathTo = useProjectPath();
  const read = useApiQuery(
    'GET /api/v1/pipelines/{pipeline_id}',
    { params: { pipeline_id: id } },
    { refetchInterval: ({ state }) => (state.data?.status === 'DELETING' && !state.error ? 1000 : false) },
  );
  const index = read.data;
  const isGone = read.error?.status === 404;
  const isDeleting = index?.status === 'DELETING';
  if (isGone) return <IndexNotFound wasDeleted={isDeleting} />;
  const tabs = Object.entries(getParts()).map(([path, label]) => ({
    to: pathTo(`/indexes/${id}${path}`),
    label,
  }));
  return (
    <Page
      title={index?.name ?? t('Index')}
      windowTitle={`${getParts()[part]}${index ? ` · ${index.name}` : ''}`}
      breadcrumbs={[{ to: pathTo('/indexes'), label: t('Indexes') }]}
      badge={isDeleting ? <StatusBadge status="DELETING" /> : index && <IndexStateBadge id={id} />}
      actions={index && !isDeleting && (typeof actions === 'function' ? actions(index) : actions)}
      {...(calls && { calls: typeof calls === 'function' ? calls(id) : calls })}
      {...(full && { full })}
    >
      {!isDeleting && <TabLinks label={t('Parts of the index')} tabs={tabs} />}
      {read.error && (
        <Failure
          error={read.error}
          what={t('The index could not be read')}
          onRetry={() => void read.refetch()}
        />
      )}
      {isDeleting && (
        <Empty icon="trash" title={t('This index is being deleted')}>
          {t(
            'It can no longer be searched. Its content is deleted in the background. The files stay in the project.',
          )}
        </Empty>
      )}
      {index && !isDeleting && children(index)}
      {read.isPending && <Skeleton />}
    </Page>
  );
}

/** State of the newest sync run. The end of a run is announced to screen readers. */
function IndexStateBadge({ id }: { id: string }) {
  const { data } = useIndexStatus(id);
  const [wasRunning, setWasRunning] = useState(false);
  const status = data?.status;
  useEffect(() => {
    if (!status) return;
    const isRunning = status === 'IN_PROGRESS';
    if (wasRunning && !isRunning) notify(getEndAnnouncements()[status] ?? t('The sync has ended.'));
    setWasRunning(isRunning);
  }, [status, wasRunning]);
  return status ? <StatusBadge status={toIndexState(status)} /> : null;
}

const getEndAnnouncements = (): Record<string, string> => ({
  SUCCESS: t('The sync is complete.'),
  PARTIAL_SUCCESS: t('The sync is complete. Some files failed.'),
  ERROR: t('The sync failed.'),
  CANCELLED: t('The sync was cancelled.'),
});

function IndexNotFound({ wasDeleted }: { wasDeleted: boolean }) {
  const pathTo = useProjectPath();
  return (
    <Page title={wasDeleted ? t('The index is deleted') : t('Index not found')}>
      <Empty
        icon="index"
        title={wasDeleted ? t('Its files stay in the project') : t('The index may have been deleted')}
        action={<ButtonLink to={pathTo('/indexes')}>{t('Go to indexes')}</ButtonLink>}
      >
        {!wasDeleted && t('It may also belong to another project.')}
      </Empty>
    </Page>
  );
}
