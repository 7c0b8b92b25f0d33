// What was found for the words in the address.
import { useSearchParams } from "react-router";

export function SearchPage() {
  const [address] = useSearchParams();
  return (
    <div className="page">
      <title>Search · Mission Control</title>
      <h1>Search</h1>
      <p className="quiet">{address.get("q")}</p>
    </div>
  );
}
