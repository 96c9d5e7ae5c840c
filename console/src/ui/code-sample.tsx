import { useState } from 'react';
import type { Request } from '../api/client.ts';
import { buildSample, type Language } from '../api/samples.ts';
import { t } from '../i18n/messages.ts';
import styles from './code-sample.module.css';
import { CopyButton } from './copy.tsx';
import { Tabs } from './tabs.tsx';

export type Call = Request & { what: string };

const LANGUAGES = [
  { key: 'curl', label: 'curl' },
  { key: 'typescript', label: 'TypeScript' },
  { key: 'python', label: 'Python' },
] as const;

/** Requests as code in three languages, which the user selects. */
export function CodeSamples({ calls }: { calls: Call[] }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <Tabs label={t('Language')} tabs={LANGUAGES} chosen={language} onChoose={setLanguage}>
      {calls.map((call) => (
        <CodeSample key={call.what} title={call.what} code={buildSample(language, call)} />
      ))}
    </Tabs>
  );
}

export function CodeSample({ title, code }: { title: string; code: string }) {
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.title}>
        <h3>{title}</h3>
      </figcaption>
      <div className={styles.sample}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre className={styles.code} tabIndex={0}>
          <code>{code}</code>
        </pre>
        <span className={styles.copy}>
          <CopyButton text={code} label={t('Copy: {title}', { title })} />
        </span>
      </div>
    </figure>
  );
}
