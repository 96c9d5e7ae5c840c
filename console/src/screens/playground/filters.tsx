import { useId, useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { JsonField } from '../../ui/json-field.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import {
  type Filter,
  type Filters,
  formatOperand,
  getOperators,
  isFlat,
  parseOperand,
} from './filter-values.ts';
import styles from './panel.module.css';
import { useMetadataKeys } from './use-metadata-keys.ts';

interface FilterEditorProps {
  /** Ids of the searched indexes, whose metadata keys are suggested. */
  indexIds: readonly string[];
  value: Filters | undefined;
  /** Default filters of the index, which apply while the user has set no filters. */
  indexFilters: Filters | undefined;
  error: ApiError | null;
  onSet: (value: Filters | undefined) => void;
}

/** Edits metadata filters, either as rows or, if groups are nested, as JSON. */
export function FilterEditor({ indexIds, value, indexFilters, error, onSet }: FilterEditorProps) {
  const [isJson, setJson] = useState(!isFlat(value));
  const asJson = isJson || !isFlat(value);
  const messages = error?.fields.filter(({ loc }) => loc.includes('search_filters')).map(({ msg }) => msg);
  const rows = (isFlat(value) ? value?.filters : undefined) ?? [];
  const set = (filters: Filter[]) =>
    onSet(filters.length > 0 ? { condition: value?.condition ?? 'and', filters } : undefined);
  return (
    <fieldset className={styles.filters}>
      <legend>{t('Filters')}</legend>
      {!value && indexFilters && (
        <p className={styles.note}>
          {t('The index has default filters. Filters that you add here replace them.')}
        </p>
      )}
      {asJson ? (
        <JsonField
          label={t('Filters as JSON')}
          value={value}
          placeholder={indexFilters}
          rows={8}
          error={messages?.join('\n') || undefined}
          onSet={onSet}
        />
      ) : (
        <>
          {rows.length > 1 && (
            <Select
              label={t('Condition')}
              hideLabel
              value={value?.condition ?? 'and'}
              choices={[
                { value: 'and', label: t('Match all filters') },
                { value: 'or', label: t('Match any filter') },
                { value: 'not', label: t('Do not match all filters') },
              ]}
              onChange={({ target }) => onSet({ condition: target.value as 'and', filters: rows })}
            />
          )}
          {rows.map((filter, at) => (
            <FilterRow
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id
              key={at}
              number={at + 1}
              filter={filter}
              onSet={(next) => set(rows.with(at, next))}
              onRemove={() => set(rows.toSpliced(at, 1))}
            />
          ))}
          {messages && messages.length > 0 && <p className={styles.error}>{messages.join('\n')}</p>}
          <NewFilter indexIds={indexIds} onAdd={(filter) => set([...rows, filter])} />
        </>
      )}
      {isFlat(value) && (
        <Button look="quiet" small onClick={() => setJson(!isJson)}>
          {isJson ? t('Edit in rows') : t('Edit as JSON')}
        </Button>
      )}
    </fieldset>
  );
}

const getAllOperators = () => Object.entries(getOperators()).map(([key, label]) => ({ value: key, label }));

interface RowProps {
  number: number;
  filter: Filter;
  onSet: (filter: Filter) => void;
  onRemove: () => void;
}

function FilterRow({ number, filter, onSet, onRemove }: RowProps) {
  const operator = filter.operator ?? '==';
  const [text, change] = useDraft(formatOperand(filter.value), (typed) =>
    onSet({ ...filter, value: parseOperand(operator, typed) }),
  );
  return (
    <div className={styles.filter}>
      <span className={styles.key}>{filter.key}</span>
      <IconButton icon="close" small label={t('Remove filter {number}', { number })} onClick={onRemove} />
      <Select
        label={t('Comparison of filter {number}', { number })}
        hideLabel
        value={operator}
        choices={getAllOperators()}
        onChange={({ target }) => {
          const chosen = target.value as NonNullable<Filter['operator']>;
          onSet({ ...filter, operator: chosen, value: parseOperand(chosen, text) });
        }}
      />
      {operator !== 'is_empty' && (
        <TextField
          label={t('Value of filter {number}', { number })}
          hideLabel
          value={text}
          placeholder={t('Value')}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </div>
  );
}

function NewFilter({ indexIds, onAdd }: { indexIds: readonly string[]; onAdd: (filter: Filter) => void }) {
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const id = useId();
  // Known metadata keys are only suggestions. The user can also enter a key that no file has yet.
  const known = useMetadataKeys(indexIds);
  const values = known.get(key.trim()) ?? [];
  const add = () => {
    if (key.trim() === '' || text.trim() === '') return;
    onAdd({ key: key.trim(), operator: '==', value: parseOperand('==', text) });
    setKey('');
    setText('');
  };
  return (
    <form
      className={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <TextField
        label={t('Metadata key')}
        hideLabel
        placeholder={t('Metadata key')}
        list={`${id}-keys`}
        value={key}
        onChange={({ target }) => setKey(target.value)}
      />
      <datalist id={`${id}-keys`}>
        {[...known.keys()].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label={t('Value')}
        hideLabel
        placeholder={t('Value')}
        list={`${id}-values`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <datalist id={`${id}-values`}>
        {[...values].map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <Button type="submit" icon="plus">
        {t('Add filter')}
      </Button>
    </form>
  );
}
