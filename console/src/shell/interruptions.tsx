import { useEffect, useRef, useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './interruptions.module.css';
import { LoadFailure } from './load-failure.tsx';
import { useOnReconnect } from './loadable.tsx';
import { dismissPendingStep, usePendingStep } from './navigation.ts';
import { dismissNewVersion, useNewVersion } from './new-version.ts';
import { reloadPage } from './reload-page.ts';
import { restoreTypedText, type TypedField } from './typed-text.ts';

/**
 * Shows notices above the page: a new version of the console, a page that could not be loaded, and text to
 * restore after a reload.
 */
export function Interruptions() {
  return (
    <div className={styles.interruptions}>
      <NewVersion />
      <PendingPage />
      <UnrestoredTexts />
    </div>
  );
}

/** Offers to reload the page. It never reloads by itself, and text that was typed is restored afterwards. */
function NewVersion() {
  const isAvailable = useNewVersion();
  if (!isAvailable) return null;
  return (
    <div role="status">
      <Notice tone="info" icon="retry" title={t('A new version is available')}>
        <span>{t('Reload the page to use it. Text that you typed on this page is restored.')}</span>
        <div className={styles.buttons}>
          <Button small look="primary" onClick={() => void reloadPage()}>
            {t('Reload')}
          </Button>
          <Button small onClick={dismissNewVersion}>
            {t('Not now')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}

/** Shows that the code of the next page is loading, or that loading failed. */
function PendingPage() {
  const step = usePendingStep();
  const isFailed = step?.state === 'failed';
  // Only the user may start a reload, because a reload discards text that was typed.
  useOnReconnect(isFailed && !step.needsReload(), () => step?.retry());
  if (!step) return null;
  if (!isFailed) {
    return (
      <div role="status" className={styles.loading}>
        {t('Loading the page…')}
      </div>
    );
  }
  return (
    <>
      <LoadFailure
        what={t('The page could not be loaded. You are still on the previous page.')}
        onRetry={step.retry}
      />
      <div className={styles.buttons}>
        <Button small look="quiet" onClick={dismissPendingStep}>
          {t('Dismiss')}
        </Button>
      </div>
    </>
  );
}

/**
 * After a reload, lists typed text whose field is not on the page yet, such as a field in a closed dialog.
 */
function UnrestoredTexts() {
  const [fields, setFields] = useState<TypedField[]>([]);
  const stop = useRef(() => {});
  useEffect(() => {
    stop.current = restoreTypedText(setFields);
  }, []);
  const dismiss = () => {
    stop.current();
    setFields([]);
  };
  const texts = fields.filter(({ value }) => typeof value === 'string' && value !== '');
  if (texts.length === 0) return null;
  return (
    <div className={styles.later}>
      <Notice tone="info" icon="edit" title={t('Text that you typed before the page was reloaded')}>
        <span>{t('Each text is restored when its field appears again.')}</span>
        <ul>
          {texts.map(({ label, nth, value }) => (
            <li key={`${label} ${nth}`}>
              {label}: {value} <CopyButton text={String(value)} label={t('Copy {label}', { label })} />
            </li>
          ))}
        </ul>
        <div className={styles.buttons}>
          <Button small onClick={dismiss}>
            {t('Dismiss')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}
