import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { t } from '../i18n/messages.ts';
import { classes } from './classes.ts';
import styles from './field.module.css';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  /** True if the label is not visible on the page. Screen readers still announce the label. */
  hideLabel?: boolean;
}

interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** Wraps a control with a label, hint and error, which are linked to it for screen readers. */
export function Field({
  label,
  hint,
  error,
  optional,
  hideLabel,
  children,
}: FieldProps & { children: (controlProps: ControlProps) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
        {optional && <span className={styles.optional}> {t('(optional)')}</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}-error`} className={styles.error}>
          {error}
        </span>
      )}
    </div>
  );
}

const splitProps = <Props extends FieldProps>({
  label,
  hint,
  error,
  optional,
  hideLabel,
  ...control
}: Props) => [{ label, hint, error, optional, hideLabel } as FieldProps, control] as const;

export function TextField(props: FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, 'className'>) {
  const [field, control] = splitProps(props);
  return (
    <Field {...field}>
      {(controlProps) => (
        <input type="text" dir="auto" {...control} {...controlProps} className={styles.control} />
      )}
    </Field>
  );
}

export function TextArea({
  code,
  ...props
}: FieldProps & { code?: boolean } & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className'>) {
  const [field, control] = splitProps(props);
  return (
    <Field {...field}>
      {(controlProps) => (
        <textarea
          rows={4}
          spellCheck={!code}
          dir={code ? 'ltr' : 'auto'}
          {...control}
          {...controlProps}
          className={classes(styles.control, code && styles.code)}
        />
      )}
    </Field>
  );
}

export interface Choice {
  value: string;
  label: string;
  /** Language of the label, if it differs from the language of the page. */
  lang?: string | undefined;
}

export function Select({
  choices,
  ...props
}: FieldProps & { choices: readonly Choice[] } & Omit<
    SelectHTMLAttributes<HTMLSelectElement>,
    'className' | 'children'
  >) {
  const [field, control] = splitProps(props);
  return (
    <Field {...field}>
      {(controlProps) => (
        <select {...control} {...controlProps} className={styles.control}>
          {choices.map(({ value, label, lang }) => (
            <option key={value} value={value} lang={lang}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  ...control
}: { label: ReactNode; hint?: ReactNode } & Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'className' | 'type'
>) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input {...control} type="checkbox" id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className={styles.hint}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
