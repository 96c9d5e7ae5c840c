import { Toast } from '@base-ui/react/toast';
import { t } from '../../i18n/messages.ts';
import { Icon } from '../icons.tsx';
import styles from './overlays.module.css';

export interface Notification {
  text: string;
  tone?: 'good' | 'bad';
  /** Action that the notification offers, such as undoing the change. */
  action?: { label: string; onChoose: () => void };
}

const manager = Toast.createToastManager();

/** Milliseconds that a toast stays, unless the pointer or the focus is on the toasts. */
const SHOWN_MS = 6000;

export function addToast({ text, tone, action }: Notification): void {
  manager.add({
    title: text,
    type: tone,
    timeout: SHOWN_MS,
    ...(action && { actionProps: { children: action.label, onClick: action.onChoose } }),
  });
}

/** Toasts in the corner of the page. Screen readers announce them. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Viewport className={styles.toasts}>
        <List />
      </Toast.Viewport>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Icon name={toast.type === 'bad' ? 'failed' : 'check'} />
      <Toast.Title render={<p />} className={styles.text} dir="auto" />
      {toast.actionProps && <Toast.Action className={styles.action} />}
      <Toast.Close className={styles.close} aria-label={t('Dismiss')} aria-hidden={false}>
        <Icon name="close" size={15} />
      </Toast.Close>
    </Toast.Root>
  ));
}
