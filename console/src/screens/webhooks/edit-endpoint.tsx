import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import type { Body } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import layout from '../../ui/layout.module.css';
import { Failure } from '../../ui/states.tsx';
import type { Endpoint } from './webhooks.tsx';

const LIST = 'GET /api/v1/beta/webhook-configs';
type NewEndpoint = Body<'POST /api/v1/beta/webhook-configs'>;
type Event = NonNullable<NewEndpoint['webhook_events']>[number];

const getProducts = () =>
  [
    { product: 'parse', label: t('Events of parse jobs') },
    { product: 'extract', label: t('Events of extract jobs') },
    { product: 'classify', label: t('Events of classify jobs') },
  ] as const;
const getOutcomes = () =>
  [
    { end: 'success', label: t('Completed') },
    { end: 'partial_success', label: t('Partially completed') },
    { end: 'error', label: t('Failed') },
    { end: 'cancelled', label: t('Cancelled') },
  ] as const;
const getEvaluationEvents = () =>
  [
    { event: 'evaluation.success', label: t('Completed') },
    { event: 'evaluation.regression', label: t('Regression') },
    { event: 'evaluation.error', label: t('Failed') },
  ] as const;
const getFormats = () => [
  { value: 'string', label: t('As a string in the event') },
  { value: 'json', label: t('As JSON') },
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
      title={isNew ? t('New endpoint') : t('Edit the endpoint')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={mutation.isPending}>
            {isNew ? t('Create endpoint') : t('Save')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('URL')}
        type="url"
        placeholder="https://example.org/hooks/sluice"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={error?.findFieldMessage('webhook_url')}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label={t('Signing secret')}
        optional={isNew}
        type="password"
        autoComplete="new-password"
        hint={
          !isNew && endpoint.has_secret
            ? t('A secret is set. It is kept unless you enter a new one.')
            : t('Lets your program verify that an event comes from this service.')
        }
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
        error={error?.findFieldMessage('webhook_signing_secret')}
      />
      <Select
        label={t('Result format')}
        choices={getFormats()}
        value={format}
        onChange={(event) => setFormat(event.target.value as 'string' | 'json')}
      />
      {getProducts().map(({ product, label }) => (
        <fieldset key={product}>
          <legend>{label}</legend>
          <div className={layout.row}>
            {getOutcomes().map(({ end, label: word }) => (
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
      <fieldset>
        <legend>{t('Events of scheduled evaluations')}</legend>
        <div className={layout.row}>
          {getEvaluationEvents().map(({ event, label }) => (
            <Checkbox key={event} label={label} checked={events.has(event)} onChange={() => toggle(event)} />
          ))}
        </div>
      </fieldset>
      {events.size === 0 && (
        <p className={layout.soft}>{t('No event is selected, so the endpoint receives every event.')}</p>
      )}
      {error && <Failure error={error} what={t('The endpoint could not be saved')} />}
    </Dialog>
  );
}
