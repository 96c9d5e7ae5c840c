import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import type { Body } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import layout from '../../ui/layout.module.css';
import { Failure } from '../../ui/states.tsx';
import type { Endpoint } from './webhooks.tsx';

const LIST = 'GET /api/v1/beta/webhook-configs';
type NewEndpoint = Body<'POST /api/v1/beta/webhook-configs'>;
type Event = NonNullable<NewEndpoint['webhook_events']>[number];

const PRODUCTS = [
  { product: 'parse', label: 'Parse' },
  { product: 'extract', label: 'Extract' },
  { product: 'classify', label: 'Classify' },
] as const;
const OUTCOMES = [
  { end: 'success', label: 'succeeded' },
  { end: 'partial_success', label: 'partially succeeded' },
  { end: 'error', label: 'failed' },
  { end: 'cancelled', label: 'was cancelled' },
] as const;
const FORMATS = [
  { value: 'string', label: 'As a string in the event' },
  { value: 'json', label: 'As JSON' },
];

/** Creates or edits a webhook endpoint. An empty secret field keeps the stored secret. */
export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint | 'new'; onClose: () => void }) {
  const isNew = endpoint === 'new';
  const create = useApiMutation('POST /api/v1/beta/webhook-configs', [LIST]);
  const change = useApiMutation('PUT /api/v1/beta/webhook-configs/{webhook_config_id}', [LIST]);
  const mutation = isNew ? create : change;
  const [url, setUrl] = useState((!isNew && endpoint.webhook_url) || '');
  const [secret, setSecret] = useState('');
  const [format, setFormat] = useState((!isNew && endpoint.webhook_output_format) || 'string');
  const [events, setEvents] = useState<ReadonlySet<string>>(
    new Set(
      isNew ? ['parse.success', 'parse.error', 'extract.success', 'extract.error'] : endpoint.webhook_events,
    ),
  );
  const toggle = (event: string) => {
    const after = new Set(events);
    if (!after.delete(event)) after.add(event);
    setEvents(after);
  };
  const submit = () => {
    const body = {
      webhook_url: url.trim(),
      webhook_events: events.size > 0 ? ([...events] as Event[]) : null,
      webhook_output_format: format as 'string' | 'json',
      ...(secret && { webhook_signing_secret: secret }),
    };
    const done = { onSuccess: onClose };
    if (isNew) create.mutate({ body }, done);
    else change.mutate({ params: { webhook_config_id: endpoint.id }, body }, done);
  };
  const { error } = mutation;
  return (
    <Dialog
      title={isNew ? 'New endpoint' : 'Edit the endpoint'}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={mutation.isPending}>
            {isNew ? 'Create endpoint' : 'Save'}
          </Button>
        </>
      }
    >
      <TextField
        label="URL"
        type="url"
        placeholder="https://example.org/hooks/sluice"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={error?.findFieldMessage('webhook_url')}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label="Signing secret"
        optional={isNew}
        type="password"
        autoComplete="new-password"
        hint={
          !isNew && endpoint.has_secret
            ? 'A secret is set. It is kept unless you enter a new one.'
            : 'Lets your program verify that an event comes from this service.'
        }
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
        error={error?.findFieldMessage('webhook_signing_secret')}
      />
      <Select
        label="Result format"
        choices={FORMATS}
        value={format}
        onChange={(event) => setFormat(event.target.value as 'string' | 'json')}
      />
      {PRODUCTS.map(({ product, label }) => (
        <fieldset key={product}>
          <legend>{label}: send an event when a job</legend>
          <div className={layout.row}>
            {OUTCOMES.map(({ end, label: word }) => (
              <Checkbox
                key={end}
                label={word}
                checked={events.has(`${product}.${end}`)}
                onChange={() => toggle(`${product}.${end}`)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      {events.size === 0 && (
        <p className={layout.soft}>No event is selected, so the endpoint receives every event.</p>
      )}
      {error && <Failure error={error} what="The endpoint could not be saved" />}
    </Dialog>
  );
}
