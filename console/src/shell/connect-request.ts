const PATH = /^\/console\/connect\/?$/;
const STORED = 'connect-request';

const isConnectPage = () => PATH.test(location.pathname);

/**
 * Returns the console address to which an identity provider leads the browser back. The request of an application may be
 * too long for it, so this tab stores the request and the address goes without.
 */
export function getReturnPath(): string {
  if (isConnectPage()) return location.pathname;
  const search = new URLSearchParams(location.search);
  search.delete('sign_in');
  return location.pathname + (search.size > 0 ? `?${search}` : '');
}

/** Stores the request of an application while the user signs in with an identity provider. */
export function storeConnectRequest(): void {
  if (isConnectPage() && location.search) sessionStorage.setItem(STORED, location.search);
}

/** Returns the parameters with which an application opened the page. They may come from before the sign-in. */
export function readConnectRequest(): Record<string, string> {
  const search = location.search.includes('client_id=') ? location.search : sessionStorage.getItem(STORED);
  sessionStorage.removeItem(STORED);
  return Object.fromEntries(new URLSearchParams(search ?? ''));
}
