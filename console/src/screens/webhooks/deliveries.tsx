import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeSample } from '../../ui/code-sample.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Select } from '../../ui/field.tsx';
import { ago, count, moment } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { notify } from '../../ui/notify.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const LIST = 'GET /api/v1/beta/webhook-deliveries';
const ONE = 'GET /api/v1/beta/webhook-deliveries/{delivery_id}';
type Delivery = Answer<typeof LIST>['items'][number];
type State = Delivery['status'];

const PAGE = 25;
const getStates = () => [
  { value: '', label: t('All states') },
  { value: 'pending', label: t('Pending') },
  { value: 'delivered', label: t('Delivered') },
  { value: 'dead', label: t('Failed') },
];

function StateBadge({ status }: { status: State }) {
  if (status === 'delivered') {
    return (
      <Badge tone="good" icon="check">
        {t('Delivered')}
      </Badge>
    );
  }
  if (status === 'pending') {
    return (
      <Badge tone="info" icon="running">
        {t('Pending')}
      </Badge>
    );
  }
  return (
    <Badge tone="bad" icon="failed">
      {t('Failed')}
    </Badge>
  );
}

/** Lists webhook deliveries. The page's address contains the state filter and the open delivery. */
export function Deliveries() {
  const [search, setSearch] = useSearchParams();
  const state = getStates().find(({ value }) => value === search.get('state'))?.value ?? '';
  // Page tokens of the pages opened so far. They are needed to go back.
  const [before, setBefore] = useState<string[]>([]);
  const token = before.at(-1);
  const query = {
    page_size: PAGE,
    ...(state && { status: state as State }),
    ...(token && { page_token: token }),
  };
  const read = useApiQuery(
    LIST,
    { query },
    {
      refetchInterval: ({ state: { data } }) =>
        data?.items.some(({ status }) => status === 'pending') ? 1000 : 10_000,
    },
  );
  const open = (id: string | undefined) =>
    setSearch((now) => {
      if (id) now.set('delivery', id);
      else now.delete('delivery');
      return now;
    });
  const opened = search.get('delivery');
  const columns: Column<Delivery>[] = [
    { key: 'state', header: t('State'), cell: ({ status }) => <StateBadge status={status} /> },
    { key: 'event', header: t('Event'), cell: ({ event_type }) => <code>{event_type}</code> },
    { key: 'to', header: t('To'), cell: ({ webhook_url }) => <code>{webhook_url}</code> },
    { key: 'attempts', header: t('Attempts'), number: true, cell: ({ attempts }) => count(attempts) },
    {
      key: 'answer',
      header: t('Last response'),
      cell: ({ last_status_code, last_error }) => last_status_code ?? last_error ?? '–',
    },
    { key: 'when', header: t('When'), cell: ({ created_at }) => ago(created_at) },
    {
      key: 'open',
      header: <span className="visually-hidden">{t('Open')}</span>,
      cell: ({ id, event_type }) => (
        <Button small onClick={() => open(id)} aria-label={t('Open {event} {id}', { event: event_type, id })}>
          {t('Open')}
        </Button>
      ),
    },
  ];
  return (
    <>
      <div className={layout.row}>
        <Select
          label={t('State of deliveries')}
          hideLabel
          choices={getStates()}
          value={state}
          onChange={(event) => {
            setBefore([]);
            setSearch((now) => {
              now.set('state', event.target.value);
              return now;
            });
          }}
        />
      </div>
      <Loaded read={read} what={t('The deliveries could not be read')}>
        {({ items, next_page_token: next }) => (
          <>
            {items.length > 0 ? (
              <Table
                label={t('Deliveries, newest first')}
                columns={columns}
                rows={items}
                getRowKey={({ id }) => id}
              />
            ) : (
              <Empty icon="send" title={state ? t('No delivery is in this state') : t('No deliveries yet')} />
            )}
            {(before.length > 0 || next) && (
              <div className={layout.row}>
                <Button
                  small
                  icon="left"
                  disabled={before.length === 0}
                  onClick={() => setBefore(before.slice(0, -1))}
                >
                  {t('Newer')}
                </Button>
                <Button small icon="right" disabled={!next} onClick={() => setBefore([...before, next!])}>
                  {t('Older')}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {opened && <OneDelivery id={opened} onClose={() => open(undefined)} />}
    </>
  );
}

function OneDelivery({ id, onClose }: { id: string; onClose: () => void }) {
  const read = useApiQuery(
    ONE,
    { params: { delivery_id: id } },
    {
      refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? 1000 : false),
    },
  );
  const replay = useApiMutation('POST /api/v1/beta/webhook-deliveries/{delivery_id}/replay', [LIST, ONE]);
  const resend = () =>
    replay.mutate(
      { params: { delivery_id: id } },
      { onSuccess: () => notify(t('The delivery is being sent again')) },
    );
  return (
    <Dialog
      title={t('Delivery')}
      wide
      onClose={onClose}
      actions={
        <Button writes icon="retry" busy={replay.isPending} onClick={resend}>
          {t('Send again')}
        </Button>
      }
    >
      {replay.error && <Failure error={replay.error} what={t('The delivery could not be sent again')} />}
      <Loaded read={read} what={t('The delivery could not be read')}>
        {(delivery) => (
          <>
            <Facts
              facts={[
                [t('State'), <StateBadge key="state" status={delivery.status} />],
                [t('Event'), <code key="event">{delivery.event_type}</code>],
                [t('Event ID'), <code key="id">{delivery.event_id}</code>],
                [t('Job'), <code key="job">{delivery.job_id}</code>],
                [t('To'), <code key="to">{delivery.webhook_url}</code>],
                [t('Attempts'), count(delivery.attempts)],
                [t('Last response'), delivery.last_status_code ?? delivery.last_error ?? '–'],
                [t('Next attempt'), moment(delivery.next_attempt_at)],
                [t('Created'), moment(delivery.created_at)],
              ]}
            />
            {delivery.body && <CodeSample title={t('Body')} code={formatJson(delivery.body)} />}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** Indents a text that contains JSON. Other text is returned unchanged. */
function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
