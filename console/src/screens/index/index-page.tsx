import { type ReactNode, useEffect, useState } from 'react';
import { useParams } from 'wouter';
import type { Request } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { announce } from '../../ui/announce.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { TabLinks } from '../../ui/tabs.tsx';
import { useIndexStatus } from './use-status.ts';

/** The parts of an index, by what stands behind its address. */
const PARTS = {
  '': 'Overview',
  '/files': 'Files',
  '/sources': 'Sources',
  '/playground': 'Playground',
  '/chat': 'Chat',
  '/runs': 'Runs',
  '/settings': 'Settings',
} as const;

interface IndexPageProps {
  /** Which part it is: '' for the overview, '/files', … */
  part: keyof typeof PARTS;
  /** Beside the heading. */
  actions?: ReactNode | ((index: Pipeline) => ReactNode);
  calls?: (Request & { what: string })[];
  /** Takes the whole width of the window. */
  full?: boolean;
  /** Drawn when the index has been read, and not while it is being deleted. */
  children: (index: Pipeline) => ReactNode;
}

/** The frame of everything at /indexes/:id: heading with the state, tabs; says when the index is deleted or gone. */
export function IndexPage(props: IndexPageProps) {
  const { id = '' } = useParams();
  return <Frame key={id} id={id} {...props} />;
}

function Frame({ id, part, actions, calls, full, children }: IndexPageProps & { id: string }) {
  const at = useAt();
  const read = useAnswer(
    'GET /api/v1/pipelines/{pipeline_id}',
    { params: { pipeline_id: id } },
    { refetchInterval: ({ state }) => (state.data?.status === 'DELETING' && !state.error ? 1000 : false) },
  );
  const index = read.data;
  const isGone = read.error?.status === 404;
  const isDeleting = index?.status === 'DELETING';
  if (isGone) return <Gone wasDeleted={isDeleting} />;
  const tabs = Object.entries(PARTS).map(([path, label]) => ({ to: at(`/indexes/${id}${path}`), label }));
  return (
    <Page
      title={index?.name ?? 'Index'}
      windowTitle={`${PARTS[part]}${index ? ` · ${index.name}` : ''}`}
      trail={[{ to: at('/indexes'), label: 'Indexes' }]}
      badge={isDeleting ? <StatusBadge status="DELETING" /> : index && <State id={id} />}
      actions={index && !isDeleting && (typeof actions === 'function' ? actions(index) : actions)}
      {...(calls && { calls })}
      {...(full && { full })}
    >
      {!isDeleting && <TabLinks label="Parts of the index" tabs={tabs} />}
      {read.error && (
        <Failure error={read.error} what="The index could not be read" onRetry={() => void read.refetch()} />
      )}
      {isDeleting && (
        <Empty icon="trash" title="This index is being deleted">
          Nothing of it is found any more. What it holds goes in the background; the files themselves stay in
          the project.
        </Empty>
      )}
      {index && !isDeleting && children(index)}
      {read.isPending && <Skeleton />}
    </Page>
  );
}

/** What its newest run did; told aloud when a run ends. */
function State({ id }: { id: string }) {
  const { data } = useIndexStatus(id);
  const [wasRunning, setWasRunning] = useState(false);
  const status = data?.status;
  useEffect(() => {
    if (!status) return;
    const isRunning = status === 'IN_PROGRESS';
    if (wasRunning && !isRunning) announce(ENDED[status] ?? 'The sync has ended.');
    setWasRunning(isRunning);
  }, [status, wasRunning]);
  return status ? <StatusBadge status={status} /> : null;
}

const ENDED: Record<string, string> = {
  SUCCESS: 'The sync is complete.',
  PARTIAL_SUCCESS: 'The sync is complete. Some files failed.',
  ERROR: 'The sync failed.',
  CANCELLED: 'The sync was cancelled.',
};

function Gone({ wasDeleted }: { wasDeleted: boolean }) {
  const at = useAt();
  return (
    <Page title={wasDeleted ? 'The index is deleted' : 'No such index'}>
      <Empty
        icon="index"
        title={wasDeleted ? 'Its files stay in the project' : 'It may have been deleted'}
        action={<ButtonLink to={at('/indexes')}>To the indexes</ButtonLink>}
      >
        {!wasDeleted && 'Or it belongs to another project than the one that is chosen.'}
      </Empty>
    </Page>
  );
}
