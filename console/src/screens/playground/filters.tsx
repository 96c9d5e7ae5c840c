import { useId, useState } from 'react';
import { useParams } from 'wouter';
import type { ApiError } from '../../api/errors.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { JsonField } from '../../ui/json-field.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { type Filter, type Filters, isFlat, OPERATORS, operandOf, typedOf } from './filter-values.ts';
import styles from './panel.module.css';

interface FilterEditorProps {
  value: Filters | undefined;
  /** The index's own, in force while there is no value. */
  own: Filters | undefined;
  error: ApiError | null;
  onSet: (value: Filters | undefined) => void;
}

/** Metadata that what is found must have: row by row, or as JSON when groups stand in groups. */
export function FilterEditor({ value, own, error, onSet }: FilterEditorProps) {
  const [isJson, setJson] = useState(!isFlat(value));
  const asJson = isJson || !isFlat(value);
  const said = error?.fields.filter(({ loc }) => loc.includes('search_filters')).map(({ msg }) => msg);
  const rows = (isFlat(value) ? value?.filters : undefined) ?? [];
  const set = (filters: Filter[]) =>
    onSet(filters.length > 0 ? { condition: value?.condition ?? 'and', filters } : undefined);
  return (
    <fieldset className={styles.filters}>
      <legend>Filters</legend>
      {!value && own && (
        <p className={styles.note}>The index has filters of its own; what you add here takes their place.</p>
      )}
      {asJson ? (
        <JsonField
          label="Filters as JSON"
          value={value}
          ghost={own}
          rows={8}
          error={said?.join('\n') || undefined}
          onSet={onSet}
        />
      ) : (
        <>
          {rows.length > 1 && (
            <Select
              label="How many must hold"
              hideLabel
              value={value?.condition ?? 'and'}
              choices={[
                { value: 'and', label: 'All of them hold' },
                { value: 'or', label: 'Any of them holds' },
                { value: 'not', label: 'Not all of them hold' },
              ]}
              onChange={({ target }) => onSet({ condition: target.value as 'and', filters: rows })}
            />
          )}
          {rows.map((filter, at) => (
            <FilterRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              key={at}
              number={at + 1}
              filter={filter}
              onSet={(next) => set(rows.with(at, next))}
              onRemove={() => set(rows.toSpliced(at, 1))}
            />
          ))}
          {said && said.length > 0 && <p className={styles.error}>{said.join('\n')}</p>}
          <NewFilter onAdd={(filter) => set([...rows, filter])} />
        </>
      )}
      {isFlat(value) && (
        <Button look="quiet" small onClick={() => setJson(!isJson)}>
          {isJson ? 'Edit in rows' : 'Edit as JSON'}
        </Button>
      )}
    </fieldset>
  );
}

const operators = Object.entries(OPERATORS).map(([key, label]) => ({ value: key, label }));

interface RowProps {
  number: number;
  filter: Filter;
  onSet: (filter: Filter) => void;
  onRemove: () => void;
}

function FilterRow({ number, filter, onSet, onRemove }: RowProps) {
  const operator = filter.operator ?? '==';
  const [text, change] = useDraft(typedOf(filter.value), (typed) =>
    onSet({ ...filter, value: operandOf(operator, typed) }),
  );
  return (
    <div className={styles.filter}>
      <span className={styles.key}>{filter.key}</span>
      <IconButton icon="close" small label={`Remove filter ${number}`} onClick={onRemove} />
      <Select
        label={`Comparison of filter ${number}`}
        hideLabel
        value={operator}
        choices={operators}
        onChange={({ target }) => {
          const chosen = target.value as NonNullable<Filter['operator']>;
          onSet({ ...filter, operator: chosen, value: operandOf(chosen, text) });
        }}
      />
      {operator !== 'is_empty' && (
        <TextField
          label={`Value of filter ${number}`}
          hideLabel
          value={text}
          placeholder="Value"
          onChange={({ target }) => change(target.value)}
        />
      )}
    </div>
  );
}

function NewFilter({ onAdd }: { onAdd: (filter: Filter) => void }) {
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const id = useId();
  const { id: indexId = '' } = useParams();
  // Suggestions alone: a key that no file has yet can be typed all the same.
  const known = useAnswer(
    'GET /api/v1/pipelines/{pipeline_id}/metadata-keys',
    { params: { pipeline_id: indexId } },
    { staleTime: 60_000 },
  );
  const values = known.data?.keys.find(({ name }) => name === key.trim())?.values ?? [];
  const add = () => {
    if (key.trim() === '' || text.trim() === '') return;
    onAdd({ key: key.trim(), operator: '==', value: operandOf('==', text) });
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
        label="Metadata key"
        hideLabel
        placeholder="Metadata key"
        list={`${id}-keys`}
        value={key}
        onChange={({ target }) => setKey(target.value)}
      />
      <datalist id={`${id}-keys`}>
        {known.data?.keys.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label="Value"
        hideLabel
        placeholder="Value"
        list={`${id}-values`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <datalist id={`${id}-values`}>
        {values.map((value) => (
          <option key={String(value)} value={String(value)} />
        ))}
      </datalist>
      <Button type="submit" icon="plus">
        Add filter
      </Button>
    </form>
  );
}
