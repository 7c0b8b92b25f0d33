// Filters live in the address: a change keeps the others and makes no step to go back to.
import { useSearchParams } from "react-router";

/** The address's parameters, and how one is set or taken away. */
export function useFilters(): [URLSearchParams, (name: string, value: string | null) => void] {
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
