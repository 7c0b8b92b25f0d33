// Shown for an unknown address.
import { Link } from "react-router";

import { Empty } from "@/ui/query-states";

export function NotFoundPage() {
  return (
    <div className="page">
      <h1>Page not found</h1>
      <div className="card">
        <Empty
          title="There is nothing at this address"
          actions={
            <>
              <Link className="button primary" to="/">
                Go to Now
              </Link>
              <Link className="button" to="/missions">
                Show all missions
              </Link>
            </>
          }
        >
          The link may be wrong, or the item was deleted.
        </Empty>
      </div>
    </div>
  );
}
