import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago, plural } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Menu } from '../../ui/menu.tsx';
import { notify } from '../../ui/notify.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';

const LIST = 'GET /api/v1/beta/webhook-configs';
export type Endpoint = Answer<typeof LIST>['items'][number];

const CALLS = [
  { what: 'List the endpoints', ...buildRequest(LIST, {}) },
  { what: 'List the deliveries', ...buildRequest('GET /api/v1/beta/webhook-deliveries', {}) },
];

/** Page with the webhook endpoints of the project and the deliveries sent to them. */
export default function Webhooks() {
  const [, setSearch] = useSearchParams();
  const read = useApiQuery(LIST, { query: { page_size: 1000 } });
  const test = useApiMutation('POST /api/v1/beta/webhook-configs/{webhook_config_id}/test', [
    'GET /api/v1/beta/webhook-deliveries',
  ]);
  const remove = useApiMutation('DELETE /api/v1/beta/webhook-configs/{webhook_config_id}', [LIST]);
  const [edited, setEdited] = useState<Endpoint | 'new'>();
  const [deleted, setDeleted] = useState<Endpoint>();
  const sendTest = ({ id }: Endpoint) =>
    test.mutate(
      { params: { webhook_config_id: id } },
      {
        onSuccess: (delivery) => {
          notify('The test event is being sent');
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
      header: 'URL',
      cell: ({ webhook_url }) => <code>{webhook_url}</code>,
    },
    {
      key: 'events',
      header: 'Events',
      cell: ({ webhook_events }) =>
        webhook_events?.length ? plural(webhook_events.length, 'event') : 'All events',
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
    { key: 'changed', header: 'Updated', cell: ({ updated_at }) => ago(updated_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">Actions</span>,
      cell: (endpoint) => (
        <Menu
          label={`Actions for ${endpoint.webhook_url}`}
          items={[
            { label: 'Send a test event', icon: 'send', onChoose: () => sendTest(endpoint) },
            { label: 'Edit', icon: 'edit', onChoose: () => setEdited(endpoint) },
            { label: 'Delete', icon: 'trash', danger: true, onChoose: () => setDeleted(endpoint) },
          ]}
        />
      ),
    },
  ];
  const create = (
    <Button look="primary" writes icon="plus" onClick={() => setEdited('new')}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Notify your own programs about jobs. Failed deliveries are sent again with the same ID."
      actions={create}
      calls={CALLS}
    >
      {test.error && <Failure error={test.error} what="The test event could not be sent" />}
      <Loaded read={read} what="The endpoints could not be read" rows={2}>
        {({ items }) =>
          items.length > 0 ? (
            <Table label="Endpoints" columns={columns} rows={items} getRowKey={({ id }) => id} />
          ) : (
            <Empty icon="webhook" title="No endpoints yet" action={create}>
              An endpoint is a URL of yours that receives events. A job may also set its own URL.
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
      {deleted && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete"
          onClose={() => setDeleted(undefined)}
          onConfirm={() => remove.mutateAsync({ params: { webhook_config_id: deleted.id } })}
        >
          New jobs no longer send events to <code>{deleted.webhook_url}</code>. Existing jobs still do.
        </Confirm>
      )}
    </Page>
  );
}
