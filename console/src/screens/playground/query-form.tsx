import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './playground.module.css';

interface QueryFormProps {
  query: string;
  isBusy: boolean;
  onAsk: (query: string) => void;
  children?: ReactNode;
}

export function QueryForm({ query, isBusy, onAsk, children }: QueryFormProps) {
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  return (
    <search>
      <form
        className={styles.ask}
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(text.trim());
        }}
      >
        <TextField
          label={t('Query')}
          hideLabel
          type="search"
          placeholder={t('Ask the documents')}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button look="primary" type="submit" icon="search" aria-busy={isBusy || undefined}>
          {t('Search')}
        </Button>
        {children}
      </form>
    </search>
  );
}
