// The page that `mission open` opens. It signs the browser in and continues to the start page.
import { useEffect, useState } from "react";

import { openSession } from "@/api/signed-in";

export function OpenLinkPage() {
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
          <p>Could not sign in. Mission Control is not responding, or the browser does not store data for this page.</p>
          <p>
            Allow the browser to store data, check with <code>mission status</code> that Mission Control is running,
            then run <code>mission open</code> again.
          </p>
        </div>
      )}
    </main>
  );
}
