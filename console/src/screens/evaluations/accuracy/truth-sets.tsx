import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select, TextField } from '../../../ui/field.tsx';
import { ago, count } from '../../../ui/format.ts';
import { Empty, Failure, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { getKindLabel } from './labels.ts';
import { TRUTH_SETS, type TruthSet } from './operations.ts';

/** Truth sets of the project, newest first. */
export function TruthSets() {
  const pathTo = useProjectPath();
  const [tokens, setTokens] = useState<string[]>([]);
  const read = useApiQuery(TRUTH_SETS, { query: { page_size: 50, page_token: tokens.at(-1) } });
  return (
    <Loaded read={read} what={t('The truth sets could not be read')}>
      {({ items, next_page_token: next }) =>
        items.length === 0 ? (
          <Empty icon="check" title={t('No truth sets yet')}>
            {t(
              'A truth set contains files and the values or types that an extraction or classification should find.',
            )}
          </Empty>
        ) : (
          <>
            <Table
              label={t('Truth sets')}
              rows={items}
              getRowKey={({ id }) => id}
              columns={[
                {
                  key: 'name',
                  header: t('Name'),
                  cell: ({ id, name }) => <Link to={pathTo(`/evaluations/truth-sets/${id}`)}>{name}</Link>,
                },
                { key: 'kind', header: t('Kind'), cell: ({ kind }) => getKindLabel(kind) },
                {
                  key: 'files',
                  header: t('Files'),
                  number: true,
                  cell: ({ truth_count }) => count(truth_count),
                },
                { key: 'changed', header: t('Changed'), cell: ({ updated_at }) => ago(updated_at) },
              ]}
            />
            {tokens.length > 0 && (
              <Button icon="left" onClick={() => setTokens(tokens.slice(0, -1))}>
                {t('Previous')}
              </Button>
            )}
            {next && (
              <Button icon="right" onClick={() => setTokens([...tokens, next])}>
                {t('Next')}
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  );
}

/** Creates a truth set and opens it. */
export function NewTruthSet({ onClose }: { onClose: () => void }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<TruthSet['kind']>('extraction');
  const create = useApiMutation('POST /api/v1/evaluations/truth-sets', [TRUTH_SETS]);
  const submit = () =>
    create.mutate(
      { body: { name: name.trim(), kind } },
      { onSuccess: ({ id }) => navigate(pathTo(`/evaluations/truth-sets/${id}`)) },
    );
  return (
    <Dialog
      title={t('New truth set')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!name.trim()} busy={create.isPending}>
            {t('Create')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        value={name}
        maxLength={200}
        autoComplete="off"
        autoFocus
        error={create.error?.findFieldMessage('name')}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label={t('Kind')}
        choices={(['extraction', 'classification'] as const).map((value) => ({
          value,
          label: getKindLabel(value),
        }))}
        value={kind}
        onChange={({ target }) => setKind(target.value as TruthSet['kind'])}
      />
      {create.error && <Failure error={create.error} what={t('The truth set could not be created')} />}
    </Dialog>
  );
}
