import { useState } from 'react';
import { Link } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAction, useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
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

const CALLS = [
  { what: 'List the projects', ...requestOf('GET /api/v1/projects', {}) },
  { what: 'Make a project', ...requestOf('POST /api/v1/projects', { body: { name: 'Archive' } }) },
];

/** The projects of the organization, each with its own indexes, files, jobs and connections. */
export default function Projects() {
  const { session } = useSession();
  const read = useAnswer('GET /api/v1/projects', {});
  const remove = useAction('DELETE /api/v1/projects/{project_id}', ['GET /api/v1/projects']);
  const [named, setNamed] = useState<Project | 'new'>();
  const [leaving, setLeaving] = useState<Project>();
  const columns: Column<Project>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ id, name, is_default }) => (
        <>
          <Link to={is_default ? '/indexes' : `/indexes?project_id=${id}`}>{name}</Link>{' '}
          {is_default && <Badge>Default</Badge>}
        </>
      ),
    },
    { key: 'made', header: 'Made', cell: ({ created_at }) => moment(created_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">What can be done</span>,
      cell: (project) => (
        <Menu
          label={`What can be done with ${project.name}`}
          items={[
            { label: 'Rename', icon: 'edit', onChoose: () => setNamed(project) },
            ...(project.is_default
              ? []
              : [
                  {
                    label: 'Delete',
                    icon: 'trash' as const,
                    danger: true,
                    onChoose: () => setLeaving(project),
                  },
                ]),
          ]}
        />
      ),
    },
  ];
  const make = session.project_id === null && (
    <Button look="primary" icon="plus" onClick={() => setNamed('new')}>
      New project
    </Button>
  );
  return (
    <Page
      title="Projects"
      lead="Each has indexes, files, jobs and connections of its own, which no key of another one reaches."
      actions={make}
      calls={CALLS}
    >
      <Loaded read={read} what="The projects could not be read">
        {(projects) => <Table label="Projects" columns={columns} rows={projects} keyOf={({ id }) => id} />}
      </Loaded>
      {named && <NameProject project={named} onClose={() => setNamed(undefined)} />}
      {leaving && (
        <Confirm
          title={`Delete ${leaving.name}?`}
          action="Delete"
          typed={leaving.name}
          onClose={() => setLeaving(undefined)}
          onConfirm={() => remove.mutateAsync({ params: { project_id: leaving.id } })}
        >
          Its indexes, files, jobs, connections and keys go with it. This cannot be taken back.
        </Confirm>
      )}
    </Page>
  );
}

function NameProject({ project, onClose }: { project: Project | 'new'; onClose: () => void }) {
  const isNew = project === 'new';
  const [name, setName] = useState(isNew ? '' : project.name);
  const make = useAction('POST /api/v1/projects', ['GET /api/v1/projects']);
  const rename = useAction('PUT /api/v1/projects/{project_id}', ['GET /api/v1/projects']);
  const acting = isNew ? make : rename;
  const submit = () => {
    const done = { onSuccess: onClose };
    if (isNew) make.mutate({ body: { name: name.trim() } }, done);
    else rename.mutate({ params: { project_id: project.id }, body: { name: name.trim() } }, done);
  };
  const said = acting.error?.of('name');
  return (
    <Dialog
      title={isNew ? 'New project' : 'Rename the project'}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={acting.isPending}>
            {isNew ? 'Make the project' : 'Rename'}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={said}
        autoComplete="off"
        autoFocus
      />
      {acting.error && !said && <Failure error={acting.error} what="The project was not saved" />}
    </Dialog>
  );
}
