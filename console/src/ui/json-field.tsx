import { useEffect, useState } from 'react';
import { TextArea } from './field.tsx';

interface JsonFieldProps {
  label: string;
  hint?: string;
  value: unknown;
  /** Shown in grey while there is no value. */
  ghost?: unknown;
  error: string | undefined;
  rows?: number;
  onSet: (value: never) => void;
}

const written = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** JSON that is taken over when one leaves the field, if it can be read; empty: undefined. */
export function JsonField({ label, hint, value, ghost, error, rows = 5, onSet }: JsonFieldProps) {
  const [text, setText] = useState(written(value));
  const [problem, setProblem] = useState<string>();
  const outside = written(value);
  useEffect(() => {
    setText(outside);
    setProblem(undefined);
  }, [outside]);
  const leave = () => {
    try {
      setProblem(undefined);
      onSet((text.trim() === '' ? undefined : JSON.parse(text)) as never);
    } catch (failure) {
      setProblem(`This is not JSON: ${(failure as Error).message}`);
    }
  };
  return (
    <TextArea
      code
      label={label}
      hint={hint}
      rows={rows}
      value={text}
      placeholder={written(ghost)}
      error={problem ?? error}
      onChange={({ target }) => setText(target.value)}
      onBlur={leave}
    />
  );
}
