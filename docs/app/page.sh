# The steps of ./bootstrap page and page-test, which reads this file; `say` and `install_missing` are its own.

# What stands in the way of building the page is no failure of the page: status 4, which .ci/run takes for a skip.
page_skipped() {
    say "the page is not built: $*"
    exit 4
}

install_page_tools() {
    local tools=(emscripten xz-utils "$@")  # xz: of the sources that are fetched
    command -v npm >/dev/null || tools+=(nodejs npm)
    (install_missing "${packages[@]}" "${tools[@]}") || page_skipped "these could not be installed: ${tools[*]}"
    command -v emcc >/dev/null || page_skipped "there is no emscripten (emcc)"
    command -v npm >/dev/null || page_skipped "there is no npm"
}

# Debian ships no yaml-cpp for WebAssembly: its source package, through apt and its signatures, with a list of our own,
# as the system's need not name sources.
fetch_yaml_cpp() {
    local folder=$PWD/build/web-sources suite keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ ! -e "$folder/yaml-cpp/src/emitter.cpp" ] || return 0
    suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache"
    echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian $suite main" >"$folder/apt/sources.list"
    local options=(-o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
                   -o "Dir::State::lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache" -q)
    say "fetching the sources of yaml-cpp"
    (
        cd "$folder"
        apt-get "${options[@]}" update && apt-get "${options[@]}" --download-only source yaml-cpp &&
            mkdir -p yaml-cpp && tar -xf yaml-cpp_*.orig.tar.* -C yaml-cpp --strip-components=1
    ) >"$folder/fetch.log" 2>&1 </dev/null ||
        page_skipped "the sources of yaml-cpp could not be fetched; see build/web-sources/fetch.log"
}

npm_packages() {
    [ docs/app/node_modules/.package-lock.json -nt docs/app/package-lock.json ] && return
    (cd docs/app && timeout 300 npm ci --ignore-scripts --no-audit --no-fund) >build/npm.log 2>&1 </dev/null ||
        page_skipped "its npm packages could not be installed; see build/npm.log"
}

compile_engine() {
    cmake --preset web && cmake --build --preset web
}

# All that the page and its tests are built and run with; what is there already takes no time.
page_tools() {
    mkdir -p build
    install_page_tools "$@"
    fetch_yaml_cpp
    npm_packages
}

build_page() {
    page_tools "$@"
    say "building the page"
    if ! with_progress build/page.log compile_engine; then
        tail -n 40 build/page.log >&2
        say "the build failed; the whole log is in build/page.log"
        exit 3
    fi
    node docs/app/build.mjs
}

# What the tests need beside what the page does.
page_test_tools() {
    local tools=()
    command -v chromium >/dev/null || tools=(chromium fonts-dejavu-core)
    # Without a spreadsheet program its test is skipped, not the others.
    command -v soffice >/dev/null || (install_missing libreoffice-calc) || say "without LibreOffice: spreadsheets are not recomputed"
    page_tools "${tools[@]}"
}

# page_test [WORD…]: the page in Chromium; WORDs choose tests. Its numbers are held against the program's where that is built.
page_test() {
    page_test_tools
    build_page
    command -v chromium >/dev/null || page_skipped "there is no chromium to test it in"
    timeout 1000 node docs/app/tests/run.mjs "$@"
}
