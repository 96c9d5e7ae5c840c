import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const LIST = 'GET /api/v1/connected-applications';
type Application = Answer<typeof LIST>[number];

/** Table of the applications that the user connected with OAuth. Renders nothing if there are none. */
export function ConnectedApplications() {
  const read = useApiQuery(LIST, {});
  const remove = useApiMutation('DELETE /api/v1/connected-applications/{application_id}', [LIST]);
  const [removed, setRemoved] = useState<Application>();
  const columns: Column<Application>[] = [
    { key: 'name', header: t('Application'), cell: ({ name }) => name },
    { key: 'host', header: t('Returns to'), cell: ({ redirect_host }) => <code>{redirect_host}</code> },
    {
      key: 'scope',
      header: t('Access'),
      cell: ({ scope }) => (scope.includes('sluice:write') ? t('Read and start jobs') : t('Read')),
    },
    { key: 'made', header: t('Created'), cell: ({ created_at }) => ago(created_at) },
    { key: 'used', header: t('Last used'), cell: ({ last_used_at }) => ago(last_used_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (application) => (
        <Button
          small
          onClick={() => setRemoved(application)}
          aria-label={t('Disconnect {name}', { name: application.name })}
        >
          {t('Disconnect')}
        </Button>
      ),
    },
  ];
  return (
    <Loaded read={read} what={t('The connected applications could not be read')} rows={1}>
      {(applications) =>
        applications.length === 0 ? null : (
          <section>
            <h2>{t('Connected applications')}</h2>
            <p>{t('Applications that use the Model Context Protocol as you.')}</p>
            <Table
              label={t('Connected applications')}
              columns={columns}
              rows={applications}
              getRowKey={({ id }) => id}
            />
            {removed && (
              <Confirm
                title={t('Disconnect {name}?', { name: removed.name })}
                action={t('Disconnect')}
                onClose={() => setRemoved(undefined)}
                onConfirm={() => remove.mutateAsync({ params: { application_id: removed.id } })}
              >
                {t('It loses access at once. You can connect it again.')}
              </Confirm>
            )}
          </section>
        )
      }
    </Loaded>
  );
}
