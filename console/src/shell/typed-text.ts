const KEY = 'sluice-typed-text';
const FIELDS = 'input, textarea, select';
/**
 * Input types that are never saved: passwords must not be stored, and a page cannot restore a chosen file.
 */
const IGNORED_TYPES = new Set(['password', 'file', 'hidden']);

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface TypedField {
  label: string;
  /** Zero-based position among the fields of the page with the same label. */
  nth: number;
  value: string | boolean;
}

const edited = new WeakSet<Element>();

export function watchTyping(): void {
  for (const type of ['input', 'change']) {
    addEventListener(type, ({ target }) => target instanceof Element && edited.add(target), true);
  }
}

/** Saves the changed fields of the page in the tab's session storage, to be restored after a reload. */
export function saveTypedText(): void {
  const fields = readControls().filter(({ control }) => edited.has(control));
  const typed = fields.map(
    ({ control, label, nth }): TypedField => ({ label, nth, value: readValue(control) }),
  );
  sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, typed }));
}

/**
 * Restores the fields that `saveTypedText` saved, each as soon as it appears on the page. Calls `onRemaining`
 * with the fields that have not been restored. Stops when the user leaves the page. Returns a function that
 * stops it earlier.
 */
export function restoreTypedText(onRemaining: (fields: TypedField[]) => void): () => void {
  const saved = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
    path: string;
    typed: TypedField[];
  } | null;
  sessionStorage.removeItem(KEY);
  if (!saved || saved.path !== location.pathname) return () => {};
  let remaining = saved.typed;
  const fill = () => {
    const controls = location.pathname === saved.path ? readControls() : [];
    const before = remaining;
    remaining = remaining.filter((field) => {
      const found = controls.find(({ label, nth }) => label === field.label && nth === field.nth);
      return !found || !writeValue(found.control, field.value);
    });
    if (location.pathname !== saved.path) remaining = [];
    if (remaining.length === 0) observer.disconnect();
    if (remaining.length !== before.length) onRemaining(remaining);
  };
  const observer = new MutationObserver(fill);
  observer.observe(document.body, { childList: true, subtree: true });
  onRemaining(remaining);
  fill();
  return () => observer.disconnect();
}

function readControls(): { control: Control; label: string; nth: number }[] {
  const seen = new Map<string, number>();
  return [...document.querySelectorAll<Control>(FIELDS)]
    .filter(({ type }) => !IGNORED_TYPES.has(type))
    .map((control) => {
      const label = control.labels?.[0]?.textContent || control.getAttribute('aria-label') || control.name;
      const nth = seen.get(label) ?? 0;
      seen.set(label, nth + 1);
      return { control, label, nth };
    });
}

const isCheckable = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';

const readValue = (control: Control) => (isCheckable(control) ? control.checked : control.value);

/**
 * Sets the value of a field as a user would, so that React handles the change. Returns false if the field
 * does not accept the value.
 */
function writeValue(control: Control, value: string | boolean): boolean {
  edited.add(control);
  if (readValue(control) === value) return true;
  if (isCheckable(control)) {
    control.click();
    return true;
  }
  // React overrides the `value` setter of the element and would ignore a change made through it. The setter
  // of the prototype avoids that.
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')!;
  set!.call(control, value);
  if (control.value !== value) return false;
  control.dispatchEvent(
    new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
  );
  // The restored field also gets a `focusout` event, because some forms apply a text only when its field
  // loses the focus.
  setTimeout(() => control.dispatchEvent(new FocusEvent('focusout', { bubbles: true })));
  return true;
}
