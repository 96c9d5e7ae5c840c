import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { type Category, type Connection, getCategories } from './categories.ts';
import { TestDialog, type TestResult } from './connection-test.tsx';
import { EditConnection } from './edit-connection.tsx';
import { ProductLabel } from './product-label.tsx';

/** Data sources, vector stores and embedding models. The selected tab is part of the page's address. */
export default function Connections() {
  const [search, setSearch] = useSearchParams();
  const category = getCategories().find(({ key }) => key === search.get('of')) ?? getCategories()[0]!;
  const [isNew, setNew] = useState(false);
  const choose = (key: Category['key']) =>
    setSearch((before) => {
      before.set('of', key);
      return before;
    });
  return (
    <Page
      title={t('Connections')}
      lead={category.lead}
      actions={
        <Button look="primary" writes icon="plus" onClick={() => setNew(true)}>
          {category.newLabel}
        </Button>
      }
      calls={[{ what: category.listCall, method: 'GET', path: category.path }]}
    >
      <Tabs
        label={t('Types of connections')}
        tabs={getCategories().map(({ key, title }) => ({ key, label: title }))}
        chosen={category.key}
        onChoose={choose}
      >
        <div className={layout.stack}>
          <ConnectionList key={category.key} category={category} isNew={isNew} onNew={setNew} />
        </div>
      </Tabs>
    </Page>
  );
}

function ConnectionList({
  category,
  isNew,
  onNew,
}: {
  category: Category;
  isNew: boolean;
  onNew: (isOpen: boolean) => void;
}) {
  const client = useQueryClient();
  const read = useApiQuery(category.list, {} as never);
  const known = useApiQuery('GET /api/v1/capabilities', {}, { staleTime: 60_000 });
  const [edited, setEdited] = useState<Connection>();
  const [deleted, setDeleted] = useState<Connection>();
  const kinds = known.data ? category.kinds(known.data) : [];
  const getKindTitle = (type: string) => kinds.find((kind) => kind.type === type)?.title ?? type;
  const test = useMutation<TestResult, ApiError, Connection>({
    mutationFn: (connection) => send(buildTestRequest(category, connection)) as Promise<TestResult>,
  });
  const columns: Column<Connection>[] = [
    { key: 'name', header: t('Name'), cell: ({ name }) => name },
    {
      key: 'kind',
      header: t('Type'),
      cell: ({ type }) => <ProductLabel type={type} title={getKindTitle(type)} />,
    },
    { key: 'changed', header: t('Updated'), cell: ({ changed }) => ago(changed) },
    {
      key: 'more',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (connection) => (
        <Menu
          label={t('Actions for {name}', { name: connection.name })}
          items={[
            { label: t('Test connection'), icon: 'play', onChoose: () => test.mutate(connection) },
            { label: t('Edit'), icon: 'edit', onChoose: () => setEdited(connection) },
            { label: t('Delete'), icon: 'trash', danger: true, onChoose: () => setDeleted(connection) },
          ]}
        />
      ),
    },
  ];
  const remove = async ({ id }: Connection) => {
    await send({ method: 'DELETE', path: `${category.path}/{id}`, params: { id } });
    await client.invalidateQueries({ queryKey: [category.list] });
  };
  return (
    <>
      {test.error && <Failure error={test.error} what={t('The connection could not be tested')} />}
      <Loaded read={read} what={category.failure}>
        {(answer) => {
          const rows = category.rows(answer);
          return rows.length > 0 ? (
            <Table label={category.title} columns={columns} rows={rows} getRowKey={({ id }) => id} />
          ) : (
            <Empty
              icon="connection"
              title={category.emptyTitle}
              action={
                <Button writes icon="plus" onClick={() => onNew(true)}>
                  {category.newLabel}
                </Button>
              }
            >
              {category.lead}
            </Empty>
          );
        }}
      </Loaded>
      {(isNew || edited) && (
        <EditConnection
          category={category}
          connection={edited}
          kinds={kinds}
          onClose={() => {
            onNew(false);
            setEdited(undefined);
          }}
        />
      )}
      {test.isPending && <p role="status">{t('Testing the connection …')}</p>}
      {test.data && <TestDialog test={test.data} onClose={() => test.reset()} />}
      {deleted && (
        <Confirm
          title={t('Delete {name}?', { name: deleted.name })}
          action={t('Delete')}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => remove(deleted)}
        >
          {getDeleteWarnings()[category.key]}
        </Confirm>
      )}
    </>
  );
}

const getDeleteWarnings = (): Record<Category['key'], string> => ({
  sources: t(
    'Indexes stop syncing from this source, and files that came only from it are removed from them. The source itself is not changed.',
  ),
  sinks: t('Indexes that use this vector store cannot sync until you select another one.'),
  embeddings: t('Indexes that use this model cannot sync until you select another one.'),
});

/**
 * Builds the request that tests a connection. Sources and stores are tested by id, embedding models by their
 * settings.
 */
function buildTestRequest(category: Category, { id, name, type, component }: Connection) {
  if (category.key === 'embeddings') {
    return { method: 'POST', path: category.testPath, body: category.testBody(name, type, component) };
  }
  return { method: 'POST', path: `${category.path}/{id}/validate`, params: { id } };
}
