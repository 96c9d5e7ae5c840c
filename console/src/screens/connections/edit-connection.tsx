import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { bodySchema, kindsOf, useDescription } from '../../forms/schema.ts';
import { SchemaForm, type Values } from '../../forms/schema-form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { CheckResult, type ConnectionCheck } from './check.tsx';
import type { Connection, Room } from './rooms.ts';

interface EditProps {
  room: Room;
  /** None: a new one. */
  connection: Connection | undefined;
  kinds: { type: string; title: string }[];
  onClose: () => void;
}

/** Makes a connection or changes it, with a form made of what the operation takes; it can be tried before it is saved. */
export function EditConnection({ room, connection, kinds, onClose }: EditProps) {
  const client = useQueryClient();
  const description = useDescription();
  const [name, setName] = useState(connection?.name ?? '');
  const [type, setType] = useState(connection?.type ?? kinds[0]?.type ?? '');
  const [component, setComponent] = useState<Values>(connection?.component ?? {});
  const save = useMutation<unknown, ApiError>({
    mutationFn: () => {
      const body = room.body(name.trim(), type, filled(component));
      if (!connection) return send({ method: 'POST', path: room.path, body });
      return send({ method: 'PUT', path: `${room.path}/{id}`, params: { id: connection.id }, body });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [room.list] });
      onClose();
    },
  });
  const attempt = useMutation<ConnectionCheck, ApiError>({
    mutationFn: () =>
      send({
        method: 'POST',
        path: room.tryPath,
        body: room.tried(name.trim() || 'try', type, filled(component)),
      }) as Promise<ConnectionCheck>,
  });
  const [said, setSaid] = useState<'save' | 'try'>('save');
  const error = said === 'save' ? save.error : attempt.error;
  const failedAt = attempt.data?.success === false ? attempt.data.loc?.join('.') : undefined;
  const errorOf = (member: string) => {
    const path = `${room.componentAt}.${member}`;
    const tried = said === 'try' && room.key === 'embeddings' ? `component.${member}` : path;
    if (said === 'try' && failedAt && [member, path, `component.${member}`].includes(failedAt)) {
      return attempt.data?.message;
    }
    return error?.of(tried) ?? error?.of(path);
  };
  return (
    <Dialog
      title={connection ? `Edit ${connection.name}` : `New ${room.noun}`}
      wide
      onClose={onClose}
      onSubmit={() => {
        setSaid('save');
        save.mutate();
      }}
      actions={
        <>
          <Button
            icon="play"
            busy={attempt.isPending}
            onClick={() => {
              setSaid('try');
              attempt.mutate();
            }}
          >
            Try it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={save.isPending}>
            {connection ? 'Save' : 'Make it'}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={save.error?.of('name')}
        autoComplete="off"
        autoFocus
      />
      <Select
        label="Kind"
        choices={kinds.map((kind) => ({ value: kind.type, label: kind.title }))}
        value={type}
        disabled={connection !== undefined}
        onChange={(event) => {
          setType(event.target.value);
          setComponent({});
          attempt.reset();
        }}
      />
      <Loaded read={description} what="The form could not be made">
        {(known) => {
          const body = bodySchema(known, 'post', room.path);
          const schema = kindsOf(known, room.component(body)).get(type);
          return schema ? (
            <SchemaForm
              key={type}
              schema={schema}
              values={component}
              onChange={setComponent}
              errorOf={errorOf}
              isSaved={connection !== undefined}
            />
          ) : null;
        }}
      </Loaded>
      {said === 'try' && attempt.data && <CheckResult check={attempt.data} />}
      {error && (
        <Failure error={error} what={said === 'save' ? 'It was not saved' : 'It could not be tried'} />
      )}
    </Dialog>
  );
}

/** Without what was left empty. */
const filled = (component: Values): Values =>
  Object.fromEntries(Object.entries(component).filter(([, value]) => value !== undefined && value !== null));
