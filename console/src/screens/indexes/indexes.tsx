import { useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { INDEX_LIST } from './index-list.ts';
import { IndexTable } from './index-table.tsx';
import { NewIndex } from './new-index.tsx';

const getCalls = () => [
  { what: t('List the indexes'), ...buildRequest('GET /api/v1/pipelines', INDEX_LIST) },
  { what: t('Create an index'), ...buildRequest('POST /api/v1/pipelines', { body: { name: 'Manuals' } }) },
];

/** Number of indexes above which a search field is shown. */
const MAX_UNSEARCHED = 8;

const isBusy = ({ status, ingestion }: Pipeline) =>
  status === 'DELETING' || ingestion?.status === 'IN_PROGRESS';

export function Indexes() {
  const [params, setParams] = useSearchParams();
  // The address opens the dialog too, so that other places can link to it.
  const isCreating = params.has('new');
  const setCreating = (isOpen: boolean) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (isOpen) after.set('new', 'true');
        else after.delete('new');
        return after;
      },
      { replace: !isOpen },
    );
  const read = useApiQuery('GET /api/v1/pipelines', INDEX_LIST, {
    refetchInterval: ({ state }) => (state.data?.some(isBusy) && !state.error ? 1000 : 10_000),
  });
  const openDialog = () => setCreating(true);
  useShortcuts({ n: openDialog });
  const newButton = (
    <Button look="primary" writes icon="plus" onClick={openDialog}>
      {t('New index')}
    </Button>
  );
  return (
    <Page title={t('Indexes')} calls={getCalls()} actions={read.data && read.data.length > 0 && newButton}>
      <Loaded read={read} what={t('The indexes could not be read')}>
        {(indexes) =>
          indexes.length > 0 ? (
            <SearchableTable indexes={indexes} />
          ) : (
            <Empty icon="index" title={t('Create your first index')} action={newButton}>
              {t(
                'An index splits files into chunks and answers questions about them. Give it a name and some files. All other settings have defaults.',
              )}
            </Empty>
          )
        }
      </Loaded>
      {isCreating && <NewIndex onClose={() => setCreating(false)} />}
    </Page>
  );
}

function SearchableTable({ indexes }: { indexes: Pipeline[] }) {
  const [search, setSearch] = useSearchParams();
  const searchText = search.get('q') ?? '';
  const find = (words: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (words) after.set('q', words);
        else after.delete('q');
        return after;
      },
      { replace: true },
    );
  const found = indexes.filter(({ name }) => name.toLowerCase().includes(searchText.toLowerCase()));
  return (
    <>
      {(indexes.length > MAX_UNSEARCHED || searchText) && (
        <TextField
          label={t('Search by name')}
          hideLabel
          placeholder={t('Search by name')}
          type="search"
          value={searchText}
          onChange={({ target }) => find(target.value)}
        />
      )}
      {found.length > 0 ? (
        <IndexTable indexes={found} />
      ) : (
        <Empty
          icon="search"
          title={t('No index matches')}
          action={<Button onClick={() => find('')}>{t('Show all')}</Button>}
        />
      )}
    </>
  );
}
