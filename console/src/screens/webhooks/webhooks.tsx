import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAction, useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { announce } from '../../ui/announce.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago, plural } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Menu } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';

const LIST = 'GET /api/v1/beta/webhook-configs';
export type Endpoint = Answer<typeof LIST>['items'][number];

const CALLS = [
  { what: 'List the endpoints', ...requestOf(LIST, {}) },
  { what: 'List the deliveries', ...requestOf('GET /api/v1/beta/webhook-deliveries', {}) },
];

/** Where the service tells of jobs that ended, and how that went. */
export default function Webhooks() {
  const [, setSearch] = useSearchParams();
  const read = useAnswer(LIST, { query: { page_size: 1000 } });
  const test = useAction('POST /api/v1/beta/webhook-configs/{webhook_config_id}/test', [
    'GET /api/v1/beta/webhook-deliveries',
  ]);
  const remove = useAction('DELETE /api/v1/beta/webhook-configs/{webhook_config_id}', [LIST]);
  const [edited, setEdited] = useState<Endpoint | 'new'>();
  const [leaving, setLeaving] = useState<Endpoint>();
  const sendTest = ({ id }: Endpoint) =>
    test.mutate(
      { params: { webhook_config_id: id } },
      {
        onSuccess: (delivery) => {
          announce('A test event is on its way');
          setSearch((before) => {
            before.set('delivery', delivery.id);
            return before;
          });
        },
      },
    );
  const columns: Column<Endpoint>[] = [
    {
      key: 'url',
      header: 'Address',
      cell: ({ webhook_url }) => <code>{webhook_url}</code>,
    },
    {
      key: 'events',
      header: 'Events',
      cell: ({ webhook_events }) =>
        webhook_events?.length ? plural(webhook_events.length, 'event') : 'Every event',
    },
    {
      key: 'signed',
      header: 'Signed',
      cell: ({ has_secret }) =>
        has_secret ? (
          <Badge tone="good" icon="check">
            Signed
          </Badge>
        ) : (
          <Badge tone="warn" icon="warning">
            Not signed
          </Badge>
        ),
    },
    { key: 'changed', header: 'Changed', cell: ({ updated_at }) => ago(updated_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">What can be done</span>,
      cell: (endpoint) => (
        <Menu
          label={`What can be done with ${endpoint.webhook_url}`}
          items={[
            { label: 'Send a test event', icon: 'send', onChoose: () => sendTest(endpoint) },
            { label: 'Edit', icon: 'edit', onChoose: () => setEdited(endpoint) },
            { label: 'Delete', icon: 'trash', danger: true, onChoose: () => setLeaving(endpoint) },
          ]}
        />
      ),
    },
  ];
  const make = (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Your own programs hear of jobs as they go on. What does not arrive is sent again, under the same id."
      actions={make}
      calls={CALLS}
    >
      {test.error && <Failure error={test.error} what="The test event was not sent" />}
      <Loaded read={read} what="The endpoints could not be read" rows={2}>
        {({ items }) =>
          items.length > 0 ? (
            <Table label="Endpoints" columns={columns} rows={items} keyOf={({ id }) => id} />
          ) : (
            <Empty icon="webhook" title="No endpoints yet" action={make}>
              An endpoint is an address of yours that takes events. Jobs may also name one themselves.
            </Empty>
          )
        }
      </Loaded>
      <Card title="Deliveries">
        <div className={layout.stack}>
          <Deliveries />
        </div>
      </Card>
      {edited && <EditEndpoint endpoint={edited} onClose={() => setEdited(undefined)} />}
      {leaving && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete"
          onClose={() => setLeaving(undefined)}
          onConfirm={() => remove.mutateAsync({ params: { webhook_config_id: leaving.id } })}
        >
          New jobs do not tell <code>{leaving.webhook_url}</code> any more. Jobs that exist keep it.
        </Confirm>
      )}
    </Page>
  );
}
