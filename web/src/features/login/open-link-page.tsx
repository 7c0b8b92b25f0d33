// The address that `mission open` opens: signs this browser in, and goes on to the page.
import { useEffect, useState } from "react";

import { openSession } from "@/api/signed-in";

export function Opening() {
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    openSession().then(
      (good) => location.replace(good ? "/" : "/login?code=over"),
      () => setFailed(true),
    );
  }, []);
  return (
    <main className="login">
      <title>Signing in · Mission Control</title>
      {failed && (
        <div className="card" role="alert">
          <p>This browser could not be signed in: Mission Control does not answer, or the browser keeps no data for this page.</p>
          <p>
            Allow it to, see that <code>mission status</code> is fine, then run <code>mission open</code> again.
          </p>
        </div>
      )}
    </main>
  );
}
