// An address that leads nowhere.
import { Link } from "react-router";

import { Empty } from "@/ui/query-states";

export function NotFoundPage() {
  return (
    <div className="page">
      <h1>Nothing is here</h1>
      <div className="card">
        <Empty
          title="This address leads nowhere"
          actions={
            <>
              <Link className="button primary" to="/">
                Go to Now
              </Link>
              <Link className="button" to="/missions">
                See all missions
              </Link>
            </>
          }
        >
          It may have been mistyped, or what it named was removed.
        </Empty>
      </div>
    </div>
  );
}
