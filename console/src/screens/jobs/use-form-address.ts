import { useSearchParams } from 'wouter';

/**
 * Returns the parameters of the page's address, and a function that changes one of them without a new entry in
 * the browser's history. An empty value removes the parameter.
 */
export function useFormAddress(): [URLSearchParams, (name: string, value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const setParameter = (name: string, value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return [search, setParameter];
}
