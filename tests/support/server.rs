//! A `PostgreSQL` server for the tests: a temporary cluster on a socket in a temporary folder.
//!
//! Skipped with a message if `PostgreSQL` is missing; a failure if `UNDERTONE_REQUIRE_SERVER=1` is set.

#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use library::{Access, Address, Place};

/// The user of the databases, with only the rights that a library needs.
const USER: &str = "undertone";

/// The password of the user `locked`.
pub const PASSWORD: &str = "open:sesame";

/// Has this process keep passwords in memory instead of the system's keyring. Returns the entry of a server's user.
pub fn keyring_entry(address: &str) -> keyring_core::Entry {
    static STORE: OnceLock<()> = OnceLock::new();
    STORE.get_or_init(|| keyring_core::set_default_store(keyring_core::mock::Store::new().unwrap()));
    keyring_core::Entry::new("Undertone", &Address::parse(address).unwrap().to_string()).unwrap()
}

/// Makes the next use of an entry fail as without a keyring.
pub fn break_keyring(entry: &keyring_core::Entry) {
    let entry = entry.as_any().downcast_ref::<keyring_core::mock::Cred>().unwrap();
    entry.set_error(keyring_core::Error::PlatformFailure("no such service".into()));
}

/// A running server.
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    /// Whether this process is root's. A server refuses to run as root, so it runs as the user `postgres` then.
    is_root: bool,
    /// Settings of the server.
    settings: Vec<String>,
    running: Mutex<Option<Child>>,
    databases: AtomicU32,
}

/// Returns the server that all tests of this process share, or `None` without `PostgreSQL`.
pub fn shared() -> Option<&'static Cluster> {
    static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
    SHARED.get_or_init(Cluster::start).as_ref()
}

/// Runs the server until it ends, or ends it and removes its folder when the process that started it has ended.
const KEEPER: &str = r#"
folder=$1; shift
trap 'kill -QUIT $server; wait $server; rm -rf "$folder"; exit' TERM
"$@" & server=$!
wait $server
"#;

impl Cluster {
    /// Starts a new server, or returns `None` without `PostgreSQL`.
    pub fn start() -> Option<Self> {
        Self::start_with(|_| Vec::new())
    }

    /// Starts a new server with the settings that `prepare` returns after it has put their files into the server's data
    /// folder, or returns `None` without `PostgreSQL`.
    pub fn start_with(prepare: impl FnOnce(&Path) -> Vec<String>) -> Option<Self> {
        let Some(programs) = programs() else {
            let required = std::env::var("UNDERTONE_REQUIRE_SERVER").is_ok_and(|value| value == "1");
            assert!(!required, "UNDERTONE_REQUIRE_SERVER=1, but PostgreSQL is not installed");
            eprintln!("SKIPPED: no PostgreSQL; set UNDERTONE_REQUIRE_SERVER=1 to make this a failure");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("undertone-pg").tempdir().unwrap().keep();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        let is_root = run(Command::new("id").arg("-u")) == "0";
        if is_root {
            run(Command::new("chown").arg("postgres:").arg(&folder));
        }
        let mut cluster = Self {
            folder,
            programs,
            is_root,
            settings: Vec::new(),
            running: Mutex::default(),
            databases: AtomicU32::new(0),
        };
        let data = cluster.data();
        let words = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", "--no-sync", "-D"];
        run(cluster.command("initdb").args(words).arg(&data));
        cluster.settings = prepare(&data);
        if is_root {
            run(Command::new("chown").arg("-R").arg("postgres:").arg(&data));
        }
        cluster.resume();
        cluster.sql("postgres", &format!("CREATE ROLE {USER} LOGIN"));
        Some(cluster)
    }

    /// Starts a new server with a user `locked`, who needs the password [`PASSWORD`], and an empty database of that
    /// user. Returns the server and the database's address.
    pub fn start_locked() -> Option<(Self, String)> {
        let cluster = Self::start_with(|data| {
            let rules = std::fs::read_to_string(data.join("pg_hba.conf")).unwrap();
            std::fs::write(data.join("pg_hba.conf"), format!("local all locked scram-sha-256\n{rules}")).unwrap();
            Vec::new()
        })?;
        let address = cluster.database().replace("undertone@", "locked@");
        let name = address.split(['/', '?']).nth(3).unwrap();
        let role = format!("CREATE ROLE locked LOGIN PASSWORD '{PASSWORD}'; ALTER DATABASE {name} OWNER TO locked");
        cluster.sql("postgres", &role);
        Some((cluster, address))
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if self.is_root {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(&self.folder).env_remove("PGPASSWORD").env_remove("PGPORT");
        // The name of the socket ends in the port.
        if let Some(port) = self.settings.iter().find_map(|setting| setting.strip_prefix("port=")) {
            command.env("PGPORT", port);
        }
        command
    }

    /// Starts the server again.
    pub fn resume(&self) {
        let mut server = self.command("postgres");
        server.arg("-D").arg(self.data()).arg("-k").arg(&self.folder);
        server.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200"]);
        server.args(self.settings.iter().flat_map(|setting| ["-c", setting.as_str()]));
        let log = std::fs::File::options().create(true).append(true).open(self.folder.join("log")).unwrap();
        let mut keeper = Command::new("setpriv");
        keeper.args(["--pdeathsig=TERM", "sh", "-c", KEEPER, "keeper"]).arg(&self.folder);
        keeper.arg(server.get_program()).args(server.get_args()).current_dir(&self.folder);
        keeper.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let (started, child) = mpsc::channel();
        // The keeper is notified when the thread that started it ends, that is, when this process ends for any reason.
        std::thread::spawn(move || {
            started.send(keeper.spawn().unwrap()).unwrap();
            loop {
                std::thread::park();
            }
        });
        *self.running.lock().unwrap() = Some(child.recv().unwrap());
        let begun = Instant::now();
        while !self.command("pg_isready").arg("-q").arg("-h").arg(&self.folder).status().unwrap().success() {
            assert!(begun.elapsed() < Duration::from_mins(1), "the server does not start: {}", self.folder.display());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the server, as in a crash or after its connections were closed.
    pub fn stop(&self, crash: bool) {
        let Some(mut child) = self.running.lock().unwrap().take() else { return };
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap_or_default();
        run(Command::new("kill").args([if crash { "-QUIT" } else { "-INT" }, pid]));
        child.wait().unwrap();
    }

    /// Runs statements as the server's administrator.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let mut command = self.command("psql");
        command.arg("-h").arg(&self.folder).args(["-U", "postgres", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]);
        run(command.args(["-d", database, "-c", statements]))
    }

    /// Creates an empty database. Returns its address.
    pub fn database(&self) -> String {
        let name = format!("library{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER {USER}"));
        format!("postgres://{USER}@/{name}?host={}", self.folder.display())
    }

    /// Returns the folder of its socket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends the server and removes all it has.
    fn remove(&self) {
        self.stop(true);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Returns the place of a library in a database, with this machine's files in `folder`.
pub fn place(address: &str, folder: &Path) -> Place {
    Place::Server {
        address: Address::parse(address).unwrap(),
        beside: folder.join("library"),
        roots: Vec::new(),
        access: Access::default(),
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Returns the folder of the newest version that is installed, or of the one in the path.
fn programs() -> Option<PathBuf> {
    let is_whole =
        |folder: &Path| ["initdb", "postgres", "psql", "pg_isready"].iter().all(|name| folder.join(name).exists());
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin"))))
        .filter(|(_, path)| is_whole(path))
        .collect();
    versions.sort();
    let newest = versions.pop().map(|(_, path)| path);
    newest.or_else(|| std::env::split_paths(&std::env::var_os("PATH")?).find(|folder| is_whole(folder)))
}
