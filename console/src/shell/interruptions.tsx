import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './interruptions.module.css';
import { LoadFailure } from './load-failure.tsx';
import { loadPageAgain } from './load-page-again.ts';
import { useBackOnline } from './loadable.tsx';
import { dismissPendingStep, usePendingStep } from './navigation.ts';
import { dismissNewVersion, useNewVersion } from './new-version.ts';
import { restoreTypedText, type TypedField } from './typed-text.ts';

/** What keeps the user from going on as usual, above the page: a new version, or a page that could not be loaded. */
export function Interruptions() {
  return (
    <div className={styles.interruptions}>
      <NewVersion />
      <PendingPage />
      <LeftTexts />
    </div>
  );
}

/** The page is reloaded only when the user asks for it. What was typed is filled in again afterwards. */
function NewVersion() {
  const isAvailable = useNewVersion();
  if (!isAvailable) return null;
  return (
    <div role="status">
      <Notice tone="info" icon="retry" title="A new version is available">
        <span>Reload the page to use it. What you typed on this page is kept.</span>
        <div className={styles.buttons}>
          <Button small look="primary" onClick={() => void loadPageAgain()}>
            Reload
          </Button>
          <Button small onClick={dismissNewVersion}>
            Not now
          </Button>
        </div>
      </Notice>
    </div>
  );
}

/** The page that the user wants to go to, while its code is loaded and after that has failed. */
function PendingPage() {
  const step = usePendingStep();
  const isFailed = step?.state === 'failed';
  // A reload would take away what was typed, so only the user begins one.
  useBackOnline(() => isFailed && !step.needsReload() && step.retry());
  if (!step) return null;
  if (!isFailed) {
    return (
      <div role="status" className={styles.loading}>
        Loading the page…
      </div>
    );
  }
  return (
    <>
      <LoadFailure
        what="The page could not be loaded. You are still on the page where you were."
        onRetry={step.retry}
      />
      <div className={styles.buttons}>
        <Button small look="quiet" onClick={dismissPendingStep}>
          Dismiss
        </Button>
      </div>
    </>
  );
}

/** After a reload: typed texts whose fields are not in the page yet, such as those of a dialog. */
function LeftTexts() {
  const [left, setLeft] = useState<TypedField[]>([]);
  const stop = useRef(() => {});
  useEffect(() => {
    stop.current = restoreTypedText(setLeft);
  }, []);
  const dismiss = () => {
    stop.current();
    setLeft([]);
  };
  const texts = left.filter(({ value }) => typeof value === 'string' && value !== '');
  if (texts.length === 0) return null;
  return (
    <div className={styles.later}>
      <Notice tone="info" icon="edit" title="You had typed this before the page was reloaded">
        <span>Each text is filled in when its field is shown again.</span>
        <ul>
          {texts.map(({ label, nth, value }) => (
            <li key={`${label} ${nth}`}>
              {label}: {value} <CopyButton text={String(value)} label={`Copy ${label}`} />
            </li>
          ))}
        </ul>
        <div className={styles.buttons}>
          <Button small onClick={dismiss}>
            Dismiss
          </Button>
        </div>
      </Notice>
    </div>
  );
}
