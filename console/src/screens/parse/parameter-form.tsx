import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx';
import { JsonField } from '../../ui/json-field.tsx';
import styles from '../jobs/jobs.module.css';
import { getGroups, type ParameterField, type Parameters, pickFields, pickOthers } from './parameters.ts';
import view from './parse.module.css';

interface ParameterFormProps {
  parameters: Parameters;
  onChange: (parameters: Parameters) => void;
  findError: (name: string) => string | undefined;
}

/** Form of the parse parameters, by group. Groups in use are open. */
export function ParameterForm({ parameters, onChange, findError }: ParameterFormProps) {
  const set = (name: string, value: unknown) => {
    const { [name as keyof Parameters]: _, ...rest } = parameters;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  const others = pickOthers(parameters);
  const otherErrors = Object.keys(others).flatMap((name) => {
    const message = findError(name);
    return message ? [`${name}: ${message}`] : [];
  });
  return (
    <>
      {getGroups().map(({ title, fields }, at) => {
        const used = fields.filter(({ name }) => parameters[name] !== undefined).length;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the groups never change, but their titles follow the language
          <Group key={at} title={title} used={used} isFirst={at === 0}>
            <div className={styles.options}>
              {fields.map((field) => (
                <Parameter
                  key={field.name}
                  field={field}
                  value={parameters[field.name]}
                  error={findError(field.name)}
                  onSet={(value) => set(field.name, value)}
                />
              ))}
            </div>
          </Group>
        );
      })}
      <Group title={t('Further parameters')} used={Object.keys(others).length}>
        <JsonField
          label={t('Further parameters as JSON')}
          hint={t('An object with the names that the reference of parse parameters lists.')}
          placeholder={{ page_prefix: 'Page {page_number}\n' }}
          value={Object.keys(others).length > 0 ? others : undefined}
          error={otherErrors.join(' ') || undefined}
          onSet={(value: unknown) => {
            const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
            onChange({ ...pickFields(parameters), ...(isObject && (value as Parameters)) });
          }}
        />
      </Group>
    </>
  );
}

/**
 * Group of parameters that the user can open and close. It opens when its first parameter is set, and stays open
 * while the user removes values.
 */
function Group({
  title,
  used,
  isFirst = false,
  children,
}: {
  title: string;
  /** Number of parameters of the group that are set. */
  used: number;
  isFirst?: boolean;
  children: ReactNode;
}) {
  const isUsed = used > 0;
  const [isOpen, setOpen] = useState(isFirst || isUsed);
  useEffect(() => {
    if (isUsed) setOpen(true);
  }, [isUsed]);
  return (
    <details
      className={view.group}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title}
        {isUsed && <span className={styles.note}> · {t('{count} set', { count: used })}</span>}
      </summary>
      {children}
    </details>
  );
}

interface ParameterProps {
  field: ParameterField;
  value: unknown;
  error: string | undefined;
  onSet: (value: unknown) => void;
}

function Parameter({ field: { label, help, kind, choices = [] }, value, error, onSet }: ParameterProps) {
  if (kind === 'switch') {
    return (
      <Checkbox
        label={label}
        hint={error ?? help}
        checked={value === true}
        onChange={({ target }) => onSet(target.checked || undefined)}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <Select
        {...{ label, error }}
        hint={help}
        choices={choices.map(([key, text]) => ({ value: key, label: text }))}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onSet(target.value || undefined)}
      />
    );
  }
  const shared = { label, error, hint: help, optional: true };
  if (kind === 'long') {
    return (
      <TextArea
        {...shared}
        rows={3}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onSet(target.value || undefined)}
      />
    );
  }
  if (kind === 'number') {
    return (
      <TextField
        {...shared}
        type="number"
        min={1}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) => onSet(target.value === '' ? undefined : target.valueAsNumber)}
      />
    );
  }
  return (
    <TextField
      {...shared}
      {...(kind === 'password' && { type: 'password', autoComplete: 'off' })}
      value={typeof value === 'string' ? value : ''}
      onChange={({ target }) => onSet(target.value || undefined)}
    />
  );
}
