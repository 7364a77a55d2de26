import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiOf } from "./api/api.ts";
import { ApiContext } from "./api/use-api.tsx";
import { AddressPage } from "./pages/address.tsx";
import { AlarmsPage } from "./pages/alarms.tsx";
import { BlockPage } from "./pages/block.tsx";
import { HandlePage } from "./pages/handle.tsx";
import { HostPage } from "./pages/host.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PoolPage } from "./pages/pool.tsx";
import { ReservationsPage } from "./pages/reservations.tsx";
import { SearchPage } from "./pages/search.tsx";
import { SignIn } from "./shell/sign-in.tsx";
import { Top } from "./shell/top.tsx";
import { NavigationProvider, useNavigation } from "./state/navigation.tsx";
import type { Page } from "./state/place.ts";

/** The whole console. */
export const App = () => (
  <NavigationProvider>
    <Signed />
  </NavigationProvider>
);

/** The console for who is signed in. Without a token it asks for one as soon as the API requires it. */
function Signed() {
  const { space, page } = useNavigation().place;
  const [token, setToken] = useState<string | undefined>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const api = useMemo(
    () => apiOf(space, { token, unauthenticated: () => setIsAsked(true) }),
    [space, token],
  );
  return (
    <ApiContext.Provider value={api}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Top />
      <Main page={page}>
        {isAsked ? (
          <SignIn
            wasWrong={token !== undefined}
            signIn={(given) => {
              setToken(given);
              setIsAsked(false);
            }}
          />
        ) : (
          <Content page={page} />
        )}
      </Main>
    </ApiContext.Provider>
  );
}

/** The content of a page. It takes the focus when another page opens, as a load of a page would. */
function Main({ page, children }: { page: Page; children: preact.ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  const key = JSON.stringify(page);
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current !== key) main.current?.focus();
    shown.current = key;
  }, [key]);
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {children}
    </main>
  );
}

function Content({ page }: { readonly page: Page }) {
  switch (page.kind) {
    case "overview":
      return <OverviewPage />;
    case "pool":
      return <PoolPage name={page.name} />;
    case "block":
      return <BlockPage name={page.name} />;
    case "address":
      return <AddressPage name={page.name} />;
    case "host":
      return <HostPage name={page.name} />;
    case "handle":
      return <HandlePage name={page.name} />;
    case "search":
      return <SearchPage />;
    case "jobs":
      return <JobsPage />;
    case "reservations":
      return <ReservationsPage />;
    case "alarms":
      return <AlarmsPage />;
    case "nowhere":
      return (
        <>
          <h1>There is no such page</h1>
          <p class="none">The address leads to no page of the console.</p>
        </>
      );
  }
}
