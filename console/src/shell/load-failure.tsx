import { t } from '../i18n/messages.ts';
import { Failure } from '../ui/states.tsx';

export function LoadFailure({
  what = t('This part of the console could not be loaded'),
  onRetry,
}: {
  what?: string;
  onRetry: () => void;
}) {
  const reason = navigator.onLine
    ? t('The service did not deliver a part of the console.')
    : t('There is no connection to the service.');
  return <Failure error={new Error(reason)} what={what} onRetry={onRetry} />;
}
