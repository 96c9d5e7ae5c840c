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
          <details key={title} className={view.group} open={at === 0 || used > 0 || undefined}>
            <summary>
              {title}
              {used > 0 && <span className={styles.note}> · {t('{used} set', { used })}</span>}
            </summary>
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
          </details>
        );
      })}
      <details className={view.group} open={Object.keys(others).length > 0 || undefined}>
        <summary>{t('Further parameters')}</summary>
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
      </details>
    </>
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
