import { useState } from 'react';
import { Link } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { useOptimisticApiMutation } from '../../api/optimistic.ts';
import type { Answer, Input } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useSession } from '../../shell/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

type Project = Answer<'GET /api/v1/projects'>[number];

const getCalls = () => [
  { what: t('List the projects'), ...buildRequest('GET /api/v1/projects', {}) },
  { what: t('Create a project'), ...buildRequest('POST /api/v1/projects', { body: { name: 'Archive' } }) },
];

/** Projects of the organization. Each has its own indexes, files, jobs and connections. */
export default function Projects() {
  const { session } = useSession();
  const read = useApiQuery('GET /api/v1/projects', {});
  const remove = useApiMutation('DELETE /api/v1/projects/{project_id}', ['GET /api/v1/projects']);
  const rename = useOptimisticApiMutation(
    'PUT /api/v1/projects/{project_id}',
    [{ queryKey: ['GET /api/v1/projects'], change: renameInList }],
    t('The project could not be renamed'),
  );
  const [edited, setEdited] = useState<Project | 'new'>();
  const [deleted, setDeleted] = useState<Project>();
  const columns: Column<Project>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name, is_default }) => (
        <>
          <Link to={is_default ? '/indexes' : `/indexes?project_id=${id}`}>{name}</Link>{' '}
          {is_default && <Badge>{t('Default')}</Badge>}
        </>
      ),
    },
    { key: 'made', header: t('Created'), cell: ({ created_at }) => moment(created_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (project) => (
        <Menu
          label={t('Actions for {name}', { name: project.name })}
          items={[
            { label: t('Rename'), icon: 'edit', onChoose: () => setEdited(project) },
            ...(project.is_default
              ? []
              : [
                  {
                    label: t('Delete'),
                    icon: 'trash' as const,
                    danger: true,
                    onChoose: () => setDeleted(project),
                  },
                ]),
          ]}
        />
      ),
    },
  ];
  const create = session.project_id === null && (
    <Button writes look="primary" icon="plus" onClick={() => setEdited('new')}>
      {t('New project')}
    </Button>
  );
  return (
    <Page
      title={t('Projects')}
      lead={t(
        'Each project has its own indexes, files, jobs and connections. Keys of other projects cannot access them.',
      )}
      actions={create}
      calls={getCalls()}
    >
      <Loaded read={read} what={t('The projects could not be read')}>
        {(projects) => (
          <Table label={t('Projects')} columns={columns} rows={projects} getRowKey={({ id }) => id} />
        )}
      </Loaded>
      {edited === 'new' && <NewProject onClose={() => setEdited(undefined)} />}
      {edited && edited !== 'new' && (
        <RenameProject
          project={edited}
          onRename={(name) => rename.mutate({ params: { project_id: edited.id }, body: { name } })}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && (
        <Confirm
          title={t('Delete {name}?', { name: deleted.name })}
          action={t('Delete')}
          typed={deleted.name}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => remove.mutateAsync({ params: { project_id: deleted.id } })}
        >
          {t('Its indexes, files, jobs, connections and keys are deleted as well. This cannot be undone.')}
        </Confirm>
      )}
    </Page>
  );
}

const renameInList = (projects: Project[], { params, body }: Input<'PUT /api/v1/projects/{project_id}'>) =>
  projects.map((project) => (project.id === params.project_id ? { ...project, ...body } : project));

function NewProject({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const create = useApiMutation('POST /api/v1/projects', ['GET /api/v1/projects']);
  const nameError = create.error?.findFieldMessage('name');
  return (
    <Dialog
      title={t('New project')}
      onClose={onClose}
      onSubmit={() => create.mutate({ body: { name: name.trim() } }, { onSuccess: onClose })}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            {t('Create project')}
          </Button>
        </>
      }
    >
      <NameField name={name} error={nameError} onChange={setName} />
      {create.error && !nameError && (
        <Failure error={create.error} what={t('The project could not be saved')} />
      )}
    </Dialog>
  );
}

/** Dialog for a new name. It closes at once, because the name is shown before the service has answered. */
function RenameProject({
  project,
  onRename,
  onClose,
}: {
  project: Project;
  onRename: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(project.name);
  const save = () => {
    if (!name.trim()) return;
    onRename(name.trim());
    onClose();
  };
  return (
    <Dialog
      title={t('Rename the project')}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" disabled={!name.trim()}>
            {t('Rename')}
          </Button>
        </>
      }
    >
      <NameField name={name} onChange={setName} />
    </Dialog>
  );
}

const NameField = ({
  name,
  error,
  onChange,
}: {
  name: string;
  error?: string | undefined;
  onChange: (name: string) => void;
}) => (
  <TextField
    label={t('Name')}
    value={name}
    onChange={(event) => onChange(event.target.value)}
    error={error}
    autoComplete="off"
    autoFocus
  />
);
