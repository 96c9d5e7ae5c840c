import { Failure } from '../ui/states.tsx';

export function LoadFailure({
  what = 'This part of the console could not be loaded',
  onRetry,
}: {
  what?: string;
  onRetry: () => void;
}) {
  const reason = navigator.onLine
    ? 'The service did not deliver a part of the console.'
    : 'There is no connection to the service.';
  return <Failure error={new Error(reason)} what={what} onRetry={onRetry} />;
}
