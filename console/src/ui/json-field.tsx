import { useEffect, useState } from 'react';
import { t } from '../i18n/messages.ts';
import { TextArea } from './field.tsx';

interface JsonFieldProps {
  label: string;
  hint?: string;
  value: unknown;
  /** JSON value that is shown as a placeholder while the field is empty. */
  placeholder?: unknown;
  error: string | undefined;
  rows?: number;
  onSet: (value: never) => void;
}

const toJsonText = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2));

/**
 * Text area for JSON. The value is reported when the field loses the focus, if the text is valid JSON. An
 * empty field reports `undefined`.
 */
export function JsonField({ label, hint, value, placeholder, error, rows = 5, onSet }: JsonFieldProps) {
  const [text, setText] = useState(toJsonText(value));
  const [problem, setProblem] = useState<string>();
  const external = toJsonText(value);
  useEffect(() => {
    setText(external);
    setProblem(undefined);
  }, [external]);
  const leave = () => {
    try {
      setProblem(undefined);
      onSet((text.trim() === '' ? undefined : JSON.parse(text)) as never);
    } catch (failure) {
      setProblem(t('This is not valid JSON: {message}', { message: (failure as Error).message }));
    }
  };
  return (
    <TextArea
      code
      label={label}
      hint={hint}
      rows={rows}
      value={text}
      placeholder={toJsonText(placeholder)}
      error={problem ?? error}
      onChange={({ target }) => setText(target.value)}
      onBlur={leave}
    />
  );
}
