import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { ago } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Retriever, RetrieverForm } from './retriever-form.tsx';

const getCalls = () => [{ what: t('List the retrievers'), ...buildRequest('GET /api/v1/retrievers', {}) }];

/** Retrievers of the project. Each searches several indexes at once. */
export default function Retrievers() {
  const pathTo = useProjectPath();
  const [, go] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const read = useApiQuery('GET /api/v1/retrievers', {});
  const columns: Column<Retriever>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name }) => <Link to={pathTo(`/retrievers/${id}`)}>{name}</Link>,
    },
    { key: 'indexes', header: t('Indexes'), number: true, cell: ({ pipelines }) => pipelines.length },
    { key: 'changed', header: t('Updated'), cell: ({ updated_at }) => ago(updated_at) },
  ];
  const create = (
    <Button look="primary" writes icon="plus" onClick={() => setCreating(true)}>
      {t('New retriever')}
    </Button>
  );
  return (
    <Page
      title={t('Retrievers')}
      lead={t('A retriever searches several indexes and ranks their results together.')}
      calls={getCalls()}
      actions={read.data?.length ? create : undefined}
    >
      <Loaded read={read} what={t('The retrievers could not be read')}>
        {(retrievers) =>
          retrievers.length > 0 ? (
            <Table label={t('Retrievers')} columns={columns} rows={retrievers} getRowKey={({ id }) => id} />
          ) : (
            <Empty icon="retriever" title={t('Create your first retriever')} action={create}>
              {t('Select its indexes. A single query then searches all of them.')}
            </Empty>
          )
        }
      </Loaded>
      {isCreating && (
        <RetrieverForm
          onDone={({ id }) => go(pathTo(`/retrievers/${id}`))}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}
