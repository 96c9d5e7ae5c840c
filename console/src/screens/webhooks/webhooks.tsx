import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { rich, t } from '../../i18n/messages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
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

const getCalls = () => [
  { what: t('List the endpoints'), ...buildRequest(LIST, {}) },
  { what: t('List the deliveries'), ...buildRequest('GET /api/v1/beta/webhook-deliveries', {}) },
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
          notify(t('The test event is being sent'));
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
      header: t('URL'),
      cell: ({ webhook_url }) => <code>{webhook_url}</code>,
    },
    {
      key: 'events',
      header: t('Events'),
      cell: ({ webhook_events }) =>
        webhook_events?.length
          ? t('{count, plural, one {# event} other {# events}}', { count: webhook_events.length })
          : t('All events'),
    },
    {
      key: 'signed',
      header: t('Signed'),
      cell: ({ has_secret }) =>
        has_secret ? (
          <Badge tone="good" icon="check">
            {t('Signed')}
          </Badge>
        ) : (
          <Badge tone="warn" icon="warning">
            {t('Not signed')}
          </Badge>
        ),
    },
    { key: 'changed', header: t('Updated'), cell: ({ updated_at }) => ago(updated_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (endpoint) => (
        <Menu
          label={t('Actions for {name}', { name: endpoint.webhook_url ?? '' })}
          items={[
            { label: t('Send a test event'), icon: 'send', onChoose: () => sendTest(endpoint) },
            { label: t('Edit'), icon: 'edit', onChoose: () => setEdited(endpoint) },
            { label: t('Delete'), icon: 'trash', danger: true, onChoose: () => setDeleted(endpoint) },
          ]}
        />
      ),
    },
  ];
  const create = (
    <Button look="primary" writes icon="plus" onClick={() => setEdited('new')}>
      {t('New endpoint')}
    </Button>
  );
  return (
    <Page
      title={t('Webhooks')}
      lead={t('Notify your own programs about jobs. Failed deliveries are sent again with the same ID.')}
      actions={create}
      calls={getCalls()}
    >
      {test.error && <Failure error={test.error} what={t('The test event could not be sent')} />}
      <Loaded read={read} what={t('The endpoints could not be read')} rows={2}>
        {({ items }) =>
          items.length > 0 ? (
            <Table label={t('Endpoints')} columns={columns} rows={items} getRowKey={({ id }) => id} />
          ) : (
            <Empty icon="webhook" title={t('No endpoints yet')} action={create}>
              {t('An endpoint is a URL of yours that receives events. A job may also set its own URL.')}
            </Empty>
          )
        }
      </Loaded>
      <Card title={t('Deliveries')}>
        <div className={layout.stack}>
          <Deliveries />
        </div>
      </Card>
      {edited && <EditEndpoint endpoint={edited} onClose={() => setEdited(undefined)} />}
      {deleted && (
        <Confirm
          title={t('Delete this endpoint?')}
          action={t('Delete')}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => remove.mutateAsync({ params: { webhook_config_id: deleted.id } })}
        >
          {rich('New jobs no longer send events to <code>{url}</code>. Existing jobs still do.', {
            url: deleted.webhook_url ?? '',
            code: (chunks) => <code>{chunks}</code>,
          })}
        </Confirm>
      )}
    </Page>
  );
}
