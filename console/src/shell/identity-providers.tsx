import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import type { Answer } from '../api/types.ts';
import { t } from '../i18n/messages.ts';
import { getReturnPath, storeConnectRequest } from './connect-request.ts';
import styles from './sign-in.module.css';

const LIST = 'GET /api/v1/session/providers';

/** Explanations of the reasons with which the service leads the browser back to the console. */
const getRefusals = (): Readonly<Record<string, string>> => ({
  denied: t('The sign-in was cancelled.'),
  expired: t('The sign-in took too long or was begun in another browser. Try again.'),
  failed: t(
    'The identity provider could not confirm who you are. Try again, or ask the operator to read the log.',
  ),
  email_not_verified: t('The identity provider has not verified your email address.'),
  domain_not_allowed: t('Accounts of your email domain may not sign in here.'),
  not_invited: t('You are not a member yet. Ask an admin for an invitation.'),
  account_conflict: t('The member with your email address signs in with another account.'),
});

/** Returns why the last sign-in with an identity provider failed, or `undefined`. */
function getRefusal(): string | undefined {
  const reason = new URLSearchParams(location.search).get('sign_in');
  if (reason === null) return undefined;
  return Object.hasOwn(getRefusals(), reason) ? getRefusals()[reason] : getRefusals().failed;
}

/** Shows why the last sign-in with an identity provider failed. Renders nothing if none failed. */
export function SignInRefusal() {
  const refusal = getRefusal();
  if (!refusal) return null;
  return (
    <p role="alert" className={styles.error}>
      {refusal}
    </p>
  );
}

/**
 * Links that sign in with the identity providers of the installation. Renders nothing if there are none. With
 * `inNewTab`, the current page stays as it is.
 */
export function IdentityProviders({ inNewTab = false }: { inNewTab?: boolean }) {
  const { data } = useQuery<Answer<typeof LIST>, ApiError>({
    queryKey: [LIST],
    queryFn: () => call(LIST, {}),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!data || data.length === 0) return null;
  return (
    <div className={styles.providers}>
      {data.map(({ id, name }) => (
        <a
          key={id}
          className={styles.provider}
          onClick={storeConnectRequest}
          href={`/sign-in/${id}?return_to=${encodeURIComponent(getReturnPath())}`}
          {...(inNewTab && { target: '_blank', rel: 'noopener' })}
        >
          {inNewTab
            ? t('Sign in with {name} (opens a new tab)', { name })
            : t('Sign in with {name}', { name })}
        </a>
      ))}
      <p className={styles.hint}>{t('Or use an API key:')}</p>
    </div>
  );
}
