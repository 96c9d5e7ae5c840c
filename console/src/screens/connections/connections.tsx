import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CheckDialog, type ConnectionCheck } from './check.tsx';
import { EditConnection } from './edit-connection.tsx';
import { type Connection, ROOMS, type Room } from './rooms.ts';

/** What Sluice is connected with: sources, stores and models; the tab is in the address. */
export default function Connections() {
  const [search, setSearch] = useSearchParams();
  const room = ROOMS.find(({ key }) => key === search.get('of')) ?? ROOMS[0]!;
  const [isNew, setNew] = useState(false);
  const choose = (key: Room['key']) =>
    setSearch((before) => {
      before.set('of', key);
      return before;
    });
  return (
    <Page
      title="Connections"
      lead={room.lead}
      actions={
        <Button look="primary" icon="plus" onClick={() => setNew(true)}>
          {`New ${room.noun}`}
        </Button>
      }
      calls={[{ what: `List: ${room.title}`, method: 'GET', path: room.path }]}
    >
      <Tabs
        label="Sorts of connections"
        tabs={ROOMS.map(({ key, title }) => ({ key, label: title }))}
        chosen={room.key}
        onChoose={choose}
      >
        <div className={layout.stack}>
          <RoomList key={room.key} room={room} isNew={isNew} onNew={setNew} />
        </div>
      </Tabs>
    </Page>
  );
}

function RoomList({ room, isNew, onNew }: { room: Room; isNew: boolean; onNew: (isOpen: boolean) => void }) {
  const client = useQueryClient();
  const read = useAnswer(room.list, {} as never);
  const known = useAnswer('GET /api/v1/capabilities', {}, { staleTime: 60_000 });
  const [edited, setEdited] = useState<Connection>();
  const [leaving, setLeaving] = useState<Connection>();
  const kinds = known.data ? room.kinds(known.data) : [];
  const titleOf = (type: string) => kinds.find((kind) => kind.type === type)?.title ?? type;
  const check = useMutation<ConnectionCheck, ApiError, Connection>({
    mutationFn: (connection) => send(checkOf(room, connection)) as Promise<ConnectionCheck>,
  });
  const columns: Column<Connection>[] = [
    { key: 'name', header: 'Name', cell: ({ name }) => name },
    { key: 'kind', header: 'Kind', cell: ({ type }) => titleOf(type) },
    { key: 'changed', header: 'Changed', cell: ({ changed }) => ago(changed) },
    {
      key: 'more',
      header: <span className="visually-hidden">What can be done</span>,
      cell: (connection) => (
        <Menu
          label={`What can be done with ${connection.name}`}
          items={[
            { label: 'Try it', icon: 'play', onChoose: () => check.mutate(connection) },
            { label: 'Edit', icon: 'edit', onChoose: () => setEdited(connection) },
            { label: 'Delete', icon: 'trash', danger: true, onChoose: () => setLeaving(connection) },
          ]}
        />
      ),
    },
  ];
  const remove = async ({ id }: Connection) => {
    await send({ method: 'DELETE', path: `${room.path}/{id}`, params: { id } });
    await client.invalidateQueries({ queryKey: [room.list] });
  };
  return (
    <>
      {check.error && <Failure error={check.error} what="It could not be tried" />}
      <Loaded read={read} what={`The list of ${room.title.toLowerCase()} could not be read`}>
        {(answer) => {
          const rows = room.rows(answer);
          return rows.length > 0 ? (
            <Table label={room.title} columns={columns} rows={rows} keyOf={({ id }) => id} />
          ) : (
            <Empty
              icon="connection"
              title={`No ${room.noun} yet`}
              action={<Button icon="plus" onClick={() => onNew(true)}>{`New ${room.noun}`}</Button>}
            >
              {room.lead}
            </Empty>
          );
        }}
      </Loaded>
      {(isNew || edited) && (
        <EditConnection
          room={room}
          connection={edited}
          kinds={kinds}
          onClose={() => {
            onNew(false);
            setEdited(undefined);
          }}
        />
      )}
      {check.isPending && <p role="status">It is being tried …</p>}
      {check.data && <CheckDialog check={check.data} onClose={() => check.reset()} />}
      {leaving && (
        <Confirm
          title={`Delete ${leaving.name}?`}
          action="Delete"
          onClose={() => setLeaving(undefined)}
          onConfirm={() => remove(leaving)}
        >
          {LOST[room.key]}
        </Confirm>
      )}
    </>
  );
}

const LOST: Record<Room['key'], string> = {
  sources:
    'Indexes no longer follow it, and files that only it brought leave them. Nothing changes over there.',
  sinks: 'Indexes that keep their vectors there say that they cannot run until they are given another.',
  embeddings: 'Indexes that use it say that they cannot run until they are given another.',
};

/** Saved sources and stores are tried by their id; settings of models are tried as they are. */
function checkOf(room: Room, { id, name, type, component }: Connection) {
  if (room.key === 'embeddings') {
    return { method: 'POST', path: room.tryPath, body: room.tried(name, type, component) };
  }
  return { method: 'POST', path: `${room.path}/{id}/validate`, params: { id } };
}
