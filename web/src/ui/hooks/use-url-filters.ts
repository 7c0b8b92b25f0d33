// Keeps filters in the address. Changing one keeps the others and adds no entry to the history.
import { useSearchParams } from "react-router";

/** Return the parameters of the address, and a function that sets or removes one. */
export function useUrlFilters(): [URLSearchParams, (name: string, value: string | null) => void] {
  const [address, setAddress] = useSearchParams();
  const change = (name: string, value: string | null) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null || value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [address, change];
}
