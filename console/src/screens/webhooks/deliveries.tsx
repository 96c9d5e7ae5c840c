import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
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
const STATES = [
  { value: '', label: 'All states' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'dead', label: 'Failed' },
];

function StateBadge({ status }: { status: State }) {
  if (status === 'delivered') {
    return (
      <Badge tone="good" icon="check">
        Delivered
      </Badge>
    );
  }
  if (status === 'pending') {
    return (
      <Badge tone="info" icon="running">
        Pending
      </Badge>
    );
  }
  return (
    <Badge tone="bad" icon="failed">
      Failed
    </Badge>
  );
}

/** Lists webhook deliveries. The page's address contains the state filter and the open delivery. */
export function Deliveries() {
  const [search, setSearch] = useSearchParams();
  const state = STATES.find(({ value }) => value === search.get('state'))?.value ?? '';
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
    { key: 'state', header: 'State', cell: ({ status }) => <StateBadge status={status} /> },
    { key: 'event', header: 'Event', cell: ({ event_type }) => <code>{event_type}</code> },
    { key: 'to', header: 'To', cell: ({ webhook_url }) => <code>{webhook_url}</code> },
    { key: 'attempts', header: 'Attempts', number: true, cell: ({ attempts }) => count(attempts) },
    {
      key: 'answer',
      header: 'Last response',
      cell: ({ last_status_code, last_error }) => last_status_code ?? last_error ?? '–',
    },
    { key: 'when', header: 'When', cell: ({ created_at }) => ago(created_at) },
    {
      key: 'open',
      header: <span className="visually-hidden">Open</span>,
      cell: ({ id, event_type }) => (
        <Button small onClick={() => open(id)} aria-label={`Open ${event_type} ${id}`}>
          Open
        </Button>
      ),
    },
  ];
  return (
    <>
      <div className={layout.row}>
        <Select
          label="State of deliveries"
          hideLabel
          choices={STATES}
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
      <Loaded read={read} what="The deliveries could not be read">
        {({ items, next_page_token: next }) => (
          <>
            {items.length > 0 ? (
              <Table
                label="Deliveries, newest first"
                columns={columns}
                rows={items}
                getRowKey={({ id }) => id}
              />
            ) : (
              <Empty icon="send" title={state ? 'No delivery is in this state' : 'No deliveries yet'} />
            )}
            {(before.length > 0 || next) && (
              <div className={layout.row}>
                <Button
                  small
                  icon="left"
                  disabled={before.length === 0}
                  onClick={() => setBefore(before.slice(0, -1))}
                >
                  Newer
                </Button>
                <Button small icon="right" disabled={!next} onClick={() => setBefore([...before, next!])}>
                  Older
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
      { onSuccess: () => notify('The delivery is being sent again') },
    );
  return (
    <Dialog
      title="Delivery"
      wide
      onClose={onClose}
      actions={
        <Button writes icon="retry" busy={replay.isPending} onClick={resend}>
          Send again
        </Button>
      }
    >
      {replay.error && <Failure error={replay.error} what="The delivery could not be sent again" />}
      <Loaded read={read} what="The delivery could not be read">
        {(delivery) => (
          <>
            <Facts
              facts={[
                ['State', <StateBadge key="state" status={delivery.status} />],
                ['Event', <code key="event">{delivery.event_type}</code>],
                ['Event ID', <code key="id">{delivery.event_id}</code>],
                ['Job', <code key="job">{delivery.job_id}</code>],
                ['To', <code key="to">{delivery.webhook_url}</code>],
                ['Attempts', count(delivery.attempts)],
                ['Last response', delivery.last_status_code ?? delivery.last_error ?? '–'],
                ['Next attempt', moment(delivery.next_attempt_at)],
                ['Created', moment(delivery.created_at)],
              ]}
            />
            {delivery.body && <CodeSample title="Body" code={formatJson(delivery.body)} />}
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
