const KEY = 'sluice-typed-text';
const FIELDS = 'input, textarea, select';
/** Passwords are never written anywhere. A chosen file cannot be restored by a page. */
const LEFT_OUT = new Set(['password', 'file', 'hidden']);

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What was typed into one field, or whether a box was ticked. */
export interface TypedField {
  label: string;
  /** Position among the fields of the page that have this label. */
  nth: number;
  value: string | boolean;
}

const edited = new WeakSet<Element>();

/** Remembers which fields the user has changed. */
export function watchTyping(): void {
  for (const type of ['input', 'change']) {
    addEventListener(type, ({ target }) => target instanceof Element && edited.add(target), true);
  }
}

/** Keeps what the user typed on this page in the tab's session storage, for the page that comes after a reload. */
export function keepTypedText(): void {
  const fields = readControls().filter(({ control }) => edited.has(control));
  const typed = fields.map(
    ({ control, label, nth }): TypedField => ({ label, nth, value: readValue(control) }),
  );
  sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, typed }));
}

/**
 * Fills in again what `keepTypedText` kept, each field as soon as it is in the page, and tells `onLeft` which texts have
 * no field yet. Stops when the user goes to another page. Returns a function that stops it.
 */
export function restoreTypedText(onLeft: (fields: TypedField[]) => void): () => void {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
    path: string;
    typed: TypedField[];
  } | null;
  sessionStorage.removeItem(KEY);
  if (!kept || kept.path !== location.pathname) return () => {};
  let left = kept.typed;
  const fill = () => {
    const controls = location.pathname === kept.path ? readControls() : [];
    const before = left;
    left = left.filter((field) => {
      const found = controls.find(({ label, nth }) => label === field.label && nth === field.nth);
      return !found || !write(found.control, field.value);
    });
    if (location.pathname !== kept.path) left = [];
    if (left.length === 0) observer.disconnect();
    if (left.length !== before.length) onLeft(left);
  };
  const observer = new MutationObserver(fill);
  observer.observe(document.body, { childList: true, subtree: true });
  onLeft(left);
  fill();
  return () => observer.disconnect();
}

function readControls(): { control: Control; label: string; nth: number }[] {
  const seen = new Map<string, number>();
  return [...document.querySelectorAll<Control>(FIELDS)]
    .filter(({ type }) => !LEFT_OUT.has(type))
    .map((control) => {
      const label = control.labels?.[0]?.textContent || control.getAttribute('aria-label') || control.name;
      const nth = seen.get(label) ?? 0;
      seen.set(label, nth + 1);
      return { control, label, nth };
    });
}

const isTicked = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';

const readValue = (control: Control) => (isTicked(control) ? control.checked : control.value);

/** Writes a value as a user would, so that React hears of it. Returns `false` if the field does not take the value. */
function write(control: Control, value: string | boolean): boolean {
  edited.add(control);
  if (readValue(control) === value) return true;
  if (isTicked(control)) {
    control.click();
    return true;
  }
  // React notices a change only if the value is set beside its own property of the element.
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')!;
  set!.call(control, value);
  if (control.value !== value) return false;
  control.dispatchEvent(
    new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
  );
  // Some forms take a text over when the user leaves its field.
  setTimeout(() => control.dispatchEvent(new FocusEvent('focusout', { bubbles: true })));
  return true;
}
