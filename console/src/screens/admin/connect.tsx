import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { readConnectRequest } from '../../shell/connect-request.ts';
import { useSession } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Checkbox, Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';

/** What the service says about the application, or the address to which the browser goes. */
interface Question {
  redirect_to?: string;
  name: string;
  redirect_host: string;
  /** Host that vouches for the name. Null if nobody does. */
  client_host: string | null;
  asks_to_write: boolean;
  can_write: boolean;
}

const ask = (project: string, body: object, signal?: AbortSignal) =>
  send(
    { method: 'POST', path: '/oauth/consent', query: { project_id: project }, body },
    signal,
  ) as Promise<Question>;

/** Page on which the user allows or refuses an application that wants to use the Model Context Protocol. */
export default function Connect() {
  const [request] = useState(readConnectRequest);
  const { session } = useSession();
  const [project, setProject] = useState(session.project_id ?? session.default_project.id);
  const read = useQuery<Question, ApiError>({
    queryKey: ['connect', project, request],
    queryFn: ({ signal }) => ask(project, { request }, signal),
    enabled: request.client_id !== undefined,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const redirect = read.data?.redirect_to;
  useEffect(() => {
    if (redirect) location.assign(redirect);
  }, [redirect]);
  if (request.client_id === undefined) {
    return (
      <Page title={t('Connect an application')}>
        <Empty icon="key" title={t('No application asks for access')}>
          {t('Start in the settings of your application: it opens this page.')}
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={t('Connect an application')}>
      <Loaded read={read} what={t('This application cannot be connected')} rows={3}>
        {(question) =>
          question.redirect_to ? null : (
            <Decision question={question} request={request} project={project} onProject={setProject} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface DecisionProps {
  question: Question;
  request: Record<string, string>;
  project: string;
  onProject: (id: string) => void;
}

function Decision({ question, request, project, onProject }: DecisionProps) {
  const { session } = useSession();
  const [mayWrite, setMayWrite] = useState(true);
  const canWrite = question.asks_to_write && question.can_write;
  const projects = useApiQuery('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const choices = (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (choices.length === 0) choices.push({ value: project, label: session.default_project.name });
  const decide = useMutation<Question, ApiError, 'allow' | 'refuse'>({
    mutationFn: (decision) => ask(project, { request, decision, can_write: canWrite && mayWrite }),
    onSuccess: ({ redirect_to }) => redirect_to && location.assign(redirect_to),
  });
  return (
    <>
      <p>
        {t('{name} wants to use Sluice as {user}. Allow it only if you started this yourself just now.', {
          name: question.name,
          user: session.user.name,
        })}
      </p>
      <Facts
        facts={[
          [t('Application'), question.name],
          [t('Identity'), question.client_host ?? t('Not verified')],
          [t('Returns to'), <code key="host">{question.redirect_host}</code>],
          [t('Organization'), session.organization.name],
        ]}
      />
      <Select
        label={t('Project')}
        choices={choices}
        value={project}
        disabled={session.project_id !== null}
        onChange={(event) => onProject(event.target.value)}
      />
      <p>{t('The application may list, search and read the files of this project.')}</p>
      {canWrite && (
        <Checkbox
          label={t('It may also start jobs')}
          hint={t('Extractions, classifications and evaluations.')}
          checked={mayWrite}
          onChange={(event) => setMayWrite(event.target.checked)}
        />
      )}
      {decide.error && <Failure error={decide.error} what={t('This application cannot be connected')} />}
      <p>
        <Button look="primary" busy={decide.isPending} onClick={() => decide.mutate('allow')}>
          {t('Allow')}
        </Button>{' '}
        <Button disabled={decide.isPending} onClick={() => decide.mutate('refuse')}>
          {t('Refuse')}
        </Button>
      </p>
    </>
  );
}
